// Package keys holds the signing keys and publishes their public halves.
package keys

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Key is a signing key; its id is the name of its file without the ending.
type Key struct {
	ID      string
	Private *rsa.PrivateKey
}

// Ring holds all keys that are published. The newest but one signs until it is retired: callers must
// have seen a key before the first token signed with it arrives.
type Ring struct {
	keys []Key
}

// Load reads all keys of a folder, which is a mounted secret.
func Load(folder string) (*Ring, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.pem"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("no signing key in " + folder)
	}
	sort.Strings(names)
	ring := &Ring{}
	for _, name := range names {
		key, err := read(name)
		if err != nil {
			return nil, err
		}
		ring.keys = append(ring.keys, key)
	}
	return ring, nil
}

func read(name string) (Key, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return Key{}, err
	}
	block, _ := pem.Decode(content)
	if block == nil {
		return Key{}, errors.New("not a PEM file: " + name)
	}
	private, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		return Key{}, err
	}
	return Key{ID: strings.TrimSuffix(filepath.Base(name), ".pem"), Private: private}, nil
}

// Current gives the key that signs.
func (r *Ring) Current() Key {
	if len(r.keys) == 1 {
		return r.keys[0]
	}
	return r.keys[len(r.keys)-2]
}

// JWKS gives the document behind /.well-known/jwks.json. orders and tracking keep it for five
// minutes and, if we are away, for up to twelve hours (KEY-266 after INC-2024-04).
func (r *Ring) JWKS() ([]byte, error) {
	type entry map[string]string
	entries := make([]entry, 0, len(r.keys))
	for _, key := range r.keys {
		public := key.Private.PublicKey
		entries = append(entries, entry{
			"kty": "RSA",
			"alg": "RS256",
			"use": "sig",
			"kid": key.ID,
			"n":   base64.RawURLEncoding.EncodeToString(public.N.Bytes()),
			"e":   base64.RawURLEncoding.EncodeToString(big.NewInt(int64(public.E)).Bytes()),
		})
	}
	return json.Marshal(map[string]any{"keys": entries})
}
