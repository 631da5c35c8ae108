package backends

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
)

// Key identifies an answer: the SHA-256 of everything that may change it, and
// of nothing else (no URL, no concurrency, no time).
type Key [sha256.Size]byte

func (k Key) String() string { return hex.EncodeToString(k[:]) }

func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

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

// Key returns the key of the request's answer. A request that sets none of the fields of version 2 (from
// Request.Served on) has the key of version 1; every other one is hashed under version 2:
//
//	SHA-256("infnet request 2" ‖ field ‖ field ‖ …)
//	field = name ‖ number of values ‖ value ‖ value ‖ …
//
// where every text follows its length, fields without a value are left out, and the others come in one order: a
// further field leaves the keys of requests without it alone.
func (r Request) Key() Key {
	if !r.extended() {
		return r.formOne()
	}
	var space [1024]byte
	h := hashed{space[:0]}
	h.text(formTwo)
	h.field("model", r.Model.ID, r.Model.Revision, string(r.Model.Kind))
	h.field("mode", string(r.Mode))
	h.field("prompt", r.Prompt)
	h.field("labels", r.Labels...)
	h.field("stop", r.Stop...)
	h.whole("max tokens", uint64(r.MaxTokens))
	h.whole("seed", r.Seed)
	h.whole("top logprobs", uint64(r.TopLogprobs))
	h.optional("label mode", string(r.LabelMode))
	h.optional("served", r.Served)
	h.optional("system", r.System)
	var turns []string
	for _, e := range r.Examples {
		turns = append(turns, e.Prompt, e.Answer)
	}
	h.field("examples", turns...)
	h.optional("template", r.Template)
	settings := make([]string, 0, 8)
	for _, s := range sorted(r.Settings) {
		settings = append(settings, s.Name, s.Value)
	}
	h.field("settings", settings...)
	if s := r.Sampling; !s.Greedy() {
		h.field("sampling", strconv.FormatFloat(s.Temperature, 'g', -1, 64), "1") // of all tokens
	}
	h.optional("question", r.Question)
	h.field("criteria", r.Criteria...)
	return sha256.Sum256(h.of)
}

// sorted returns settings in their order, which they mostly have.
func sorted(list []Setting) []Setting {
	if len(list) < 2 {
		return list
	}
	return slices.SortedFunc(slices.Values(list), Setting.compare)
}

// extended reports whether the request says something that version 1 of the key
// does not hold.
func (r Request) extended() bool {
	return r.Served != "" || r.System != "" || len(r.Examples) > 0 || r.Template != "" || len(r.Settings) > 0 ||
		!r.Sampling.Greedy() || r.Question != "" || len(r.Criteria) > 0
}

// formOne hashes what requests held before version 2.
func (r Request) formOne() Key {
	var space [1024]byte
	h := hashed{space[:0]}
	h.text(formOne, r.Model.ID, r.Model.Revision, string(r.Model.Kind), string(r.Mode), r.Prompt)
	h.number(uint64(len(r.Labels)))
	h.text(r.Labels...)
	h.number(uint64(r.MaxTokens), uint64(len(r.Stop)))
	h.text(r.Stop...)
	h.number(r.Seed, uint64(r.TopLogprobs))
	// last and only where it says something: other requests keep their keys
	if r.LabelMode != "" {
		h.text(string(r.LabelMode))
	}
	return sha256.Sum256(h.of)
}

// hashedRevision is the revision of a ModelID: the weights' own, and a hash of the settings that change answers.
func hashedRevision(weights string, settings ...string) string {
	var h hashed
	h.text(settings...)
	sum := sha256.Sum256(h.of)
	return weights + "+" + hex.EncodeToString(sum[:8])
}

type hashed struct{ of []byte }

func (h *hashed) field(name string, values ...string) {
	if len(values) == 0 {
		return
	}
	h.text(name)
	h.number(uint64(len(values)))
	h.text(values...)
}

func (h *hashed) optional(name, value string) {
	if value != "" {
		h.field(name, value)
	}
}

func (h *hashed) whole(name string, n uint64) {
	if n != 0 {
		h.field(name, strconv.FormatUint(n, 10))
	}
}

// text writes length-prefixed strings, so that no two lists collide.
func (h *hashed) text(ss ...string) {
	for _, s := range ss {
		h.number(uint64(len(s)))
		h.of = append(h.of, s...)
	}
}

func (h *hashed) number(ns ...uint64) {
	for _, n := range ns {
		h.of = binary.LittleEndian.AppendUint64(h.of, n)
	}
}
