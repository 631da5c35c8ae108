package backends

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Count is a number of tokens that may be unknown, as its zero value is: a server that reports none has not said 0.
type Count struct {
	n     int
	known bool
}

// Counted is a known number of tokens, n ≥ 0.
func Counted(n int) Count {
	if n < 0 {
		panic(fmt.Sprintf("backends: %d tokens", n))
	}
	return Count{n, true}
}

// Known returns the number; ok is false, and the number 0, where it is unknown.
func (c Count) Known() (n int, ok bool) { return c.n, c.known }

// IsZero reports whether the number is unknown: such a count is left out of
// JSON (omitzero).
func (c Count) IsZero() bool { return !c.known }

// Equal reports whether both are unknown, or the same number.
func (c Count) Equal(o Count) bool { return c == o }

// String is the number, or "not reported".
func (c Count) String() string {
	if !c.known {
		return "not reported"
	}
	return strconv.Itoa(c.n)
}

// Plus is the sum; it is unknown where either is.
func (c Count) Plus(o Count) Count {
	if !c.known || !o.known {
		return Count{}
	}
	return Counted(c.n + o.n)
}

// MarshalJSON writes the number; null where it is unknown and not left out.
func (c Count) MarshalJSON() ([]byte, error) {
	if !c.known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(c.n), 10), nil
}

// UnmarshalJSON reads a whole number that is not negative, or null.
func (c *Count) UnmarshalJSON(b []byte) error {
	var n *int
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	if *c = (Count{}); n == nil {
		return nil
	}
	if *n < 0 {
		return fmt.Errorf("%d tokens: a count cannot be negative", *n)
	}
	*c = Counted(*n)
	return nil
}

// Usage counts the tokens of one call. What a server did not report is unknown; cost.Count estimates it where a
// cost or a budget needs a number.
type Usage struct {
	Prompt     Count `json:"prompt,omitzero"`     // after truncation, beginning-of-sequence token included
	Completion Count `json:"completion,omitzero"` // generated; 1 for a classification
	// of Prompt, those whose state was shared or cached; 0 = none, or nobody said
	Cached int `json:"cached"`
	// of Completion, those of thoughts; 0 = none, or nobody said
	Thoughts int `json:"thoughts,omitzero"`
}

// Credible is a usage without the counts that a call cannot have taken, given the bytes of its prompt, the tokens that
// it was allowed, and the bytes of its text (−1 = the model also thought, nobody knows how much):
//
//	completion > allowed + 16, or > 16 · text + 64
//	prompt     > 16 · prompt's bytes + 10,000
//
// A token has a byte or more, but for marks of templates and characters that a vocabulary takes apart; what is added to
// a prompt is a template's and a provider's own.
func (u Usage) Credible(prompt, allowed, text int) Usage {
	if n, _ := u.Completion.Known(); n > allowed+16 || text >= 0 && n > 16*text+64 {
		u.Completion = Count{}
	}
	if n, _ := u.Prompt.Known(); n > 16*prompt+10_000 {
		u.Prompt, u.Cached = Count{}, 0
	}
	return u
}

// Believe is a usage as a server, a file or an old store states it, with the
// zeros that cannot be: no prompt has 0 tokens, and 0 generated tokens are
// believed only of an answer that says nothing.
func Believe(u Usage, empty bool) Usage {
	if n, _ := u.Prompt.Known(); n == 0 {
		u.Prompt, u.Cached = Count{}, 0
	}
	if n, _ := u.Completion.Known(); n == 0 && !(empty && u.Prompt.known) {
		u.Completion = Count{}
	}
	return u
}

// took is what every call took that a server answered.
func (a Answer) took() []Usage {
	if len(a.Calls) == 0 && a.Failure == nil && a.Key != (Key{}) {
		return []Usage{a.Usage}
	}
	return a.Calls
}

// Failed is the answer turned into a failure: what was said goes, what its
// calls took stays.
func (a Answer) Failed(f *Failure) Answer {
	return Answer{Key: a.Key, Failure: f, Calls: a.took(), Kept: a.Kept}
}

// Found is the answer that a study takes which says how the answer is found in a reply: a reply of thoughts, or with
// thoughts in its text, is one.
func (a Answer) Found() Answer {
	if a.Kept == nil || a.Failure == nil || a.Failure.Cause != Thoughts {
		return a
	}
	kept := *a.Kept
	if kept.Batch, kept.Latency = a.Batch, a.Latency; len(a.Calls) > 1 {
		kept.Calls = a.Calls
	}
	return kept
}

// Thinking is an answer whose reply is thoughts, or holds them in its text, as the failure f that it is where nobody
// says how the answer is found in a reply.
func (a Answer) Thinking(f *Failure) Answer {
	a.Thinks = true
	out := a.Failed(f)
	out.Latency, out.Kept = a.Latency, &a
	return out
}

// After is the answer of another try: what the earlier one's calls took is
// added.
func (a Answer) After(earlier Answer) Answer {
	if before := earlier.took(); len(before) > 0 {
		a.Calls = append(slices.Clip(before), a.took()...)
	}
	return a
}
