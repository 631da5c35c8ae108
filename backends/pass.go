package backends

import (
	"strings"

	"infnet/backends/redact"
)

// Pass is the door through which every answer comes in: what does not pass Check becomes a failure, and what
// its server says about itself loses the secrets that are known.
func Pass(r Request, a Answer) Answer {
	if f := Check(r, a); f != nil {
		a.Key = r.Key()
		clean := *f
		clean.Message = redact.Known().Text(f.Message)
		return a.Failed(&clean)
	}
	k := redact.Known()
	a.Model, a.System, a.Finish = k.Text(a.Model), k.Text(a.System), Finish(k.Text(string(a.Finish)))
	return a
}

// repeats reports whether an answer holds a known secret or part of one: it must not be stored as it is, and
// redacted it would not be what the model said.
func (a Answer) repeats() bool {
	k := redact.Known()
	if k == nil {
		return false
	}
	var spelt strings.Builder
	for _, t := range a.Tokens {
		spelt.WriteString(t.Text)
		for _, o := range t.Top {
			if k.Holds(o.Text) {
				return true
			}
		}
	}
	return k.Holds(a.Text) || k.Holds(a.Thoughts) || k.Holds(spelt.String())
}
