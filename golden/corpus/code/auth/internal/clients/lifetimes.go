// Package clients knows the kinds of clients and how long their tokens live.
package clients

import (
	"fmt"
	"time"
)

// Kind is a kind of client, as in the claim "client" of a token.
type Kind string

const (
	Portal       Kind = "portal"
	PublicAPI    Kind = "public-api"
	DepotScanner Kind = "depot-scanner"
	Service      Kind = "service"
)

const (
	// AccessLife holds for all clients (ADR-0025).
	AccessLife = 15 * time.Minute
	// RefreshLife is counted from the last rotation (ADR-0025).
	RefreshLife = 30 * 24 * time.Hour
)

// overrides are exceptions from AccessLife.
//
// depot-scanner: set on 2023-12-11 for the peak season, because refreshes failed in depots with bad
// Wi-Fi. To be removed in January 2024. Carried over from the Python issuer as it was; KEY-341 waits
// for the Wi-Fi of 6 depots (INC-2025-02).
var overrides = map[Kind]time.Duration{
	DepotScanner: 12 * time.Hour,
}

// Lifetime gives how long an access token of a kind of client is valid.
func Lifetime(kind Kind) time.Duration {
	if life, found := overrides[kind]; found {
		return life
	}
	return AccessLife
}

// Parse checks the name of a kind of client.
func Parse(name string) (Kind, error) {
	switch kind := Kind(name); kind {
	case Portal, PublicAPI, DepotScanner, Service:
		return kind, nil
	}
	return "", fmt.Errorf("unknown kind of client %q", name)
}
