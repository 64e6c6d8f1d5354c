// Package httpapi is the HTTP face of auth. Versions are in the path (ADR-0011).
package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5"

	"halmwick.example/auth/internal/keys"
	"halmwick.example/auth/internal/token"
)

// Routes gives the handler of all paths.
func Routes(issuer *token.Issuer, ring *keys.Ring) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/refresh", refresh(issuer))
	mux.HandleFunc("POST /v1/accounts/{id}/revoke", revoke(issuer))
	mux.HandleFunc("GET /.well-known/jwks.json", jwks(ring))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		// Without the database on purpose: a health check that needs it turns a slow database
		// into no service (INC-2023-07).
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

func refresh(issuer *token.Issuer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Refresh string `json:"refresh"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			problem(w, r, http.StatusBadRequest, "malformed_body")
			return
		}
		pair, err := issuer.Refresh(r.Context(), body.Refresh)
		switch {
		case errors.Is(err, token.ErrReused):
			problem(w, r, http.StatusUnauthorized, "refresh_token_reused")
		case errors.Is(err, token.ErrDisabled):
			problem(w, r, http.StatusForbidden, "account_disabled")
		case errors.Is(err, pgx.ErrNoRows):
			problem(w, r, http.StatusUnauthorized, "refresh_token_unknown")
		case err != nil:
			problem(w, r, http.StatusServiceUnavailable, "store_unavailable")
		default:
			answer(w, http.StatusOK, map[string]any{
				"access":     pair.Access,
				"refresh":    pair.Refresh,
				"expires_in": int(pair.ExpiresIn.Seconds()),
			})
		}
	}
}

func revoke(issuer *token.Issuer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := issuer.Revoke(r.Context(), r.PathValue("id")); err != nil {
			problem(w, r, http.StatusServiceUnavailable, "store_unavailable")
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

func jwks(ring *keys.Ring) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		document, err := ring.JWKS()
		if err != nil {
			problem(w, r, http.StatusInternalServerError, "keys_unavailable")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "max-age=300")
		_, _ = w.Write(document)
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func problem(w http.ResponseWriter, r *http.Request, status int, code string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type":     "about:blank",
		"title":    http.StatusText(status),
		"status":   status,
		"code":     code,
		"trace_id": r.Header.Get("traceparent"),
	})
}
