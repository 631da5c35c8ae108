package backends

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
)

// Key identifies an answer: the SHA-256 of everything that may change it, and
// of nothing else (no URL, no concurrency, no time).
type Key [sha256.Size]byte

func (k Key) String() string { return hex.EncodeToString(k[:]) }

// MarshalText writes the key as 64 hexadecimal digits.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads 64 hexadecimal digits.
func (k *Key) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(k) {
		return fmt.Errorf("answer key %q: want %d hexadecimal digits", text, 2*len(k))
	}
	_, err := hex.Decode(k[:], text)
	return err
}

// keyVersion changes when the meaning of a request changes, so that answers
// to the old meaning are not taken for answers to the new one.
const keyVersion = "infnet request 1"

// Key returns the key of the request's answer.
func (r Request) Key() Key {
	h := sha256.New()
	text(h, keyVersion, r.Model.ID, r.Model.Revision, string(r.Model.Kind), string(r.Mode), r.Prompt)
	number(h, uint64(len(r.Labels)))
	text(h, r.Labels...)
	number(h, uint64(r.MaxTokens), uint64(len(r.Stop)))
	text(h, r.Stop...)
	number(h, r.Seed, uint64(r.TopLogprobs))
	if r.LabelMode != "" { // last and only where it says something: other requests keep the keys they had before there was one
		text(h, string(r.LabelMode))
	}
	return Key(h.Sum(nil))
}

// text writes length-prefixed strings, so that no two lists collide.
func text(h hash.Hash, ss ...string) {
	for _, s := range ss {
		number(h, uint64(len(s)))
		h.Write([]byte(s))
	}
}

func number(h hash.Hash, ns ...uint64) {
	var b [8]byte
	for _, n := range ns {
		binary.LittleEndian.PutUint64(b[:], n)
		h.Write(b[:])
	}
}
