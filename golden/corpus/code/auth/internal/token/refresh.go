package token

import (
	"context"
	"errors"
	"log/slog"

	"halmwick.example/auth/internal/clients"
	"halmwick.example/auth/internal/store"
)

// ErrReused is the answer for a refresh token which has been rotated before.
var ErrReused = errors.New("refresh token was used before")

// Refresh gives a new pair for a refresh token and makes the old one worthless.
//
// A token that comes a second time has been copied: the whole family is revoked, both the thief and
// the owner have to log in, and Keystone is paged (ADR-0025). A disabled account gets nothing, which
// is why switching an account off takes effect within the life of an access token.
func (i *Issuer) Refresh(ctx context.Context, secret string) (Pair, error) {
	found, err := i.db.FindRefresh(ctx, secret)
	if err != nil {
		return Pair{}, err
	}
	if found.Rotated {
		if err := i.db.RevokeFamily(ctx, found.Family); err != nil {
			return Pair{}, err
		}
		slog.Error("refresh_token_reused", "family", found.Family, "account", found.Account.ID)
		return Pair{}, ErrReused
	}
	if found.Account.Disabled {
		return Pair{}, ErrDisabled
	}
	next, err := i.db.Rotate(ctx, found, i.now().Add(clients.RefreshLife))
	if errors.Is(err, store.ErrConflict) {
		return Pair{}, ErrReused
	}
	if err != nil {
		return Pair{}, err
	}
	return i.pair(found.Account, next)
}

// Revoke ends all families of an account: logging out everywhere.
func (i *Issuer) Revoke(ctx context.Context, accountID string) error {
	count, err := i.db.RevokeAccount(ctx, accountID)
	if err != nil {
		return err
	}
	slog.Info("account_revoked", "account", accountID, "families", count)
	return nil
}
