// Package token issues access tokens and rotates refresh tokens.
package token

import (
	"context"
	"errors"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"halmwick.example/auth/internal/clients"
	"halmwick.example/auth/internal/keys"
	"halmwick.example/auth/internal/store"
)

// ErrDisabled is the answer for an account which has been switched off.
var ErrDisabled = errors.New("account is disabled")

const audience = "halmwick"

// Pair is what a client gets: one token to show, one to come back with.
type Pair struct {
	Access    string
	Refresh   string
	ExpiresIn time.Duration
}

// Issuer makes tokens. It keeps nothing in memory, so that any pod can answer any client.
type Issuer struct {
	ring *keys.Ring
	db   *store.Store
	now  func() time.Time
}

// NewIssuer makes an issuer which signs with the current key of the ring.
func NewIssuer(ring *keys.Ring, db *store.Store) *Issuer {
	return &Issuer{ring: ring, db: db, now: time.Now}
}

// claims carry what services need to decide by themselves. The contract flags are in here since
// MAN-811, before that orders called auth on each booking (INC-2024-03).
type claims struct {
	jwt.RegisteredClaims
	Client        clients.Kind `json:"client"`
	MerchantID    string       `json:"merchant_id,omitempty"`
	Scopes        []string     `json:"scopes"`
	ContractFlags []string     `json:"contract_flags,omitempty"`
}

// Issue makes the first pair of a login and begins a new family of refresh tokens.
func (i *Issuer) Issue(ctx context.Context, account store.Account) (Pair, error) {
	if account.Disabled {
		return Pair{}, ErrDisabled
	}
	secret, err := i.db.BeginFamily(ctx, account.ID, i.now().Add(clients.RefreshLife))
	if err != nil {
		return Pair{}, err
	}
	return i.pair(account, secret)
}

func (i *Issuer) pair(account store.Account, refresh string) (Pair, error) {
	life := clients.Lifetime(account.Client)
	access, err := i.sign(account, life)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Access: access, Refresh: refresh, ExpiresIn: life}, nil
}

func (i *Issuer) sign(account store.Account, life time.Duration) (string, error) {
	now := i.now()
	signing := i.ring.Current()
	unsigned := jwt.NewWithClaims(jwt.SigningMethodRS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Subject:   account.ID,
			Audience:  jwt.ClaimStrings{audience},
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Add(life)),
		},
		Client:        account.Client,
		MerchantID:    account.MerchantID,
		Scopes:        account.Scopes,
		ContractFlags: account.ContractFlags,
	})
	unsigned.Header["kid"] = signing.ID
	return unsigned.SignedString(signing.Private)
}
