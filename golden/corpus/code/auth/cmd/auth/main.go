// Command auth issues and renews the tokens of everybody who talks to Halmwick.
package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"halmwick.example/auth/internal/httpapi"
	"halmwick.example/auth/internal/keys"
	"halmwick.example/auth/internal/store"
	"halmwick.example/auth/internal/token"
)

// drain is how long open requests may take when the pod goes away.
const drain = 10 * time.Second

func main() {
	// One JSON object per line on stdout, with the field names of ADR-0019. halmkit.logging is
	// Python, hence the renaming here.
	log := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: rename}))
	slog.SetDefault(log.With("service", "auth"))

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	db, err := store.Open(ctx, os.Getenv("AUTH_DSN"))
	if err != nil {
		slog.Error("store_unreachable", "exc", err.Error())
		os.Exit(1)
	}
	ring, err := keys.Load(os.Getenv("AUTH_KEY_DIR"))
	if err != nil {
		slog.Error("keys_unreadable", "exc", err.Error())
		os.Exit(1)
	}
	issuer := token.NewIssuer(ring, db)
	server := &http.Server{
		Addr:              ":8080",
		Handler:           httpapi.Routes(issuer, ring),
		ReadHeaderTimeout: 2 * time.Second,
	}
	go serve(server)
	<-ctx.Done()

	slog.Info("stopping")
	timed, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if err := server.Shutdown(timed); err != nil {
		slog.Warn("drain_incomplete", "exc", err.Error())
	}
}

func serve(server *http.Server) {
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		slog.Error("listen_failed", "exc", err.Error())
		os.Exit(1)
	}
}

func rename(_ []string, attr slog.Attr) slog.Attr {
	switch attr.Key {
	case slog.TimeKey:
		attr.Key = "ts"
	case slog.MessageKey:
		attr.Key = "event"
	}
	return attr
}
