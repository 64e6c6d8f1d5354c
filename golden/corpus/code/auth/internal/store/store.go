// Package store keeps accounts and refresh tokens in PostgreSQL.
package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"halmwick.example/auth/internal/clients"
)

// ErrConflict says that somebody else rotated the token at the same time.
var ErrConflict = errors.New("token was rotated at the same time")

// Account is somebody or something which can log in.
type Account struct {
	ID            string
	Client        clients.Kind
	MerchantID    string
	Scopes        []string
	ContractFlags []string
	Disabled      bool
}

// Refresh is a refresh token as it is stored; the token itself is only stored hashed.
type Refresh struct {
	Hash    []byte
	Family  string
	Rotated bool
	Account Account
}

// Store talks to the database.
type Store struct {
	pool *pgxpool.Pool
}

// Open connects through PgBouncer: no prepared statements, no session state (ADR-0031).
func Open(ctx context.Context, dsn string) (*Store, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &Store{pool: pool}, nil
}

// BeginFamily stores the first refresh token of a login and gives it.
func (s *Store) BeginFamily(ctx context.Context, account string, until time.Time) (string, error) {
	secret, hash, err := fresh()
	if err != nil {
		return "", err
	}
	_, err = s.pool.Exec(ctx,
		`INSERT INTO refresh_token (hash, family, account_id, expires_at)
		 VALUES ($1, gen_random_uuid(), $2, $3)`, hash, account, until)
	return secret, err
}

// FindRefresh looks a refresh token up by its hash.
func (s *Store) FindRefresh(ctx context.Context, secret string) (Refresh, error) {
	hash := sha256.Sum256([]byte(secret))
	found := Refresh{Hash: hash[:]}
	err := s.pool.QueryRow(ctx,
		`SELECT family, rotated, a.id, client, merchant_id, scopes, contract_flags, disabled
		   FROM refresh_token JOIN account a ON a.id = account_id
		  WHERE hash = $1 AND expires_at > now()`, hash[:]).Scan(
		&found.Family, &found.Rotated, &found.Account.ID, &found.Account.Client,
		&found.Account.MerchantID, &found.Account.Scopes, &found.Account.ContractFlags,
		&found.Account.Disabled)
	return found, err
}

// Rotate marks a token as used and stores its successor, both or neither.
func (s *Store) Rotate(ctx context.Context, old Refresh, until time.Time) (string, error) {
	secret, hash, err := fresh()
	if err != nil {
		return "", err
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx,
			`UPDATE refresh_token SET rotated = true WHERE hash = $1 AND NOT rotated`, old.Hash)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrConflict
		}
		_, err = tx.Exec(ctx,
			`INSERT INTO refresh_token (hash, family, account_id, expires_at)
			 VALUES ($1, $2, $3, $4)`, hash, old.Family, old.Account.ID, until)
		return err
	})
	return secret, err
}

// RevokeFamily deletes a family of refresh tokens.
func (s *Store) RevokeFamily(ctx context.Context, family string) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM refresh_token WHERE family = $1`, family)
	return err
}

// RevokeAccount deletes all refresh tokens of an account.
func (s *Store) RevokeAccount(ctx context.Context, account string) (int64, error) {
	tag, err := s.pool.Exec(ctx, `DELETE FROM refresh_token WHERE account_id = $1`, account)
	return tag.RowsAffected(), err
}

func fresh() (string, []byte, error) {
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		return "", nil, err
	}
	secret := base64.RawURLEncoding.EncodeToString(raw)
	hash := sha256.Sum256([]byte(secret))
	return secret, hash[:], nil
}
