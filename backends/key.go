package backends

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"
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

// The two forms of a request that are hashed. A form never changes: an answer
// to a request under one of them is found under it for ever.
const (
	formOne = "infnet request 1"
	formTwo = "infnet request 2"
)

// Key returns the key of the request's answer. A request that sets none of the
// fields that came with version 2 (see Request.Served) has the key that it had
// before there were any; every other one is hashed under version 2:
//
//	SHA-256("infnet request 2" ‖ field ‖ field ‖ …)
//	field = name ‖ number of values ‖ value ‖ value ‖ …
//
// where every text follows its length, fields without a value are left out, and the others come in
// one order. So no two requests share a key, and a field that is added one day leaves the keys of
// requests without it alone.
func (r Request) Key() Key {
	if !r.extended() {
		return r.formOne()
	}
	h := sha256.New()
	text(h, formTwo)
	field(h, "model", r.Model.ID, r.Model.Revision, string(r.Model.Kind))
	field(h, "mode", string(r.Mode))
	field(h, "prompt", r.Prompt)
	field(h, "labels", r.Labels...)
	field(h, "stop", r.Stop...)
	whole(h, "max tokens", uint64(r.MaxTokens))
	whole(h, "seed", r.Seed)
	whole(h, "top logprobs", uint64(r.TopLogprobs))
	optional(h, "label mode", string(r.LabelMode))
	optional(h, "served", r.Served)
	optional(h, "system", r.System)
	var turns []string
	for _, e := range r.Examples {
		turns = append(turns, e.Prompt, e.Answer)
	}
	field(h, "examples", turns...)
	optional(h, "template", r.Template)
	var settings []string
	for _, s := range slices.SortedFunc(slices.Values(r.Settings), Setting.compare) {
		settings = append(settings, s.Name, s.Value)
	}
	field(h, "settings", settings...)
	return Key(h.Sum(nil))
}

// Unrecorded returns the key under which an answer to the request was stored
// when keys did not hold the served name yet. ok is false where there was no
// such key: the request's own is of version 1, or it asks what could not be
// asked then.
func (r Request) Unrecorded() (k Key, ok bool) {
	if r.Served == "" {
		return Key{}, false
	}
	if r.Served = ""; r.extended() {
		return Key{}, false
	}
	return r.formOne(), true
}

// extended reports whether the request says something that version 1 of the key
// does not hold.
func (r Request) extended() bool {
	return r.Served != "" || r.System != "" || len(r.Examples) > 0 || r.Template != "" || len(r.Settings) > 0
}

// formOne hashes what requests held before version 2.
func (r Request) formOne() Key {
	h := sha256.New()
	text(h, formOne, r.Model.ID, r.Model.Revision, string(r.Model.Kind), string(r.Mode), r.Prompt)
	number(h, uint64(len(r.Labels)))
	text(h, r.Labels...)
	number(h, uint64(r.MaxTokens), uint64(len(r.Stop)))
	text(h, r.Stop...)
	number(h, r.Seed, uint64(r.TopLogprobs))
	// last and only where it says something: other requests keep the keys they had before there was one
	if r.LabelMode != "" {
		text(h, string(r.LabelMode))
	}
	return Key(h.Sum(nil))
}

// field writes a field that has values.
func field(h hash.Hash, name string, values ...string) {
	if len(values) == 0 {
		return
	}
	text(h, name)
	number(h, uint64(len(values)))
	text(h, values...)
}

// optional writes a text that says something.
func optional(h hash.Hash, name, value string) {
	if value != "" {
		field(h, name, value)
	}
}

// whole writes a number other than 0.
func whole(h hash.Hash, name string, n uint64) {
	if n != 0 {
		field(h, name, strconv.FormatUint(n, 10))
	}
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
