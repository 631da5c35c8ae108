package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendLine appends the record's line of records.jsonl, with its line end. It writes what encoding/json writes without
// escapes for HTML, and in a fraction of the time: a study may have millions of lines.
func (r *Record) AppendLine(b []byte) ([]byte, error) {
	w := line{b: b}
	w.open('{')
	w.text("cascade", r.Cascade)
	w.text("dataset", r.Dataset)
	w.text("id", r.ID)
	w.whole("row", r.Row)
	w.text("group", r.Group)
	w.word("content", r.Content)
	w.text("part", r.Part)
	w.text("prompt", r.Prompt)
	w.word("class", r.Class)
	if len(r.References) > 0 {
		w.name("references")
		w.open('[')
		for _, s := range r.References {
			w.item()
			w.quote(s)
		}
		w.close(']')
	}
	w.name("models")
	list(&w, r.Models, (*line).answer)
	w.name("decisions")
	list(&w, r.Decisions, (*line).decision)
	w.close('}')
	if w.err != nil {
		return b, fmt.Errorf("record %s: %w", r.ID, w.err)
	}
	return append(w.b, '\n'), nil
}

// line writes one JSON value.
type line struct {
	b   []byte
	err error
}

func (w *line) answer(a *RecordAnswer) {
	w.open('{')
	w.text("model", a.Model)
	w.text("key", a.Key)
	w.word("cause", a.Cause)
	w.word("refused", a.Refused)
	w.word("answered_by", a.AnsweredBy)
	w.text("text", a.Text)
	w.word("class", a.Class)
	w.floats("probs", a.Probs)
	if len(a.Tokens) > 0 {
		w.name("tokens")
		list(w, a.Tokens, (*line).token)
	}
	w.number("beta", a.Beta)
	w.number("beta_low", a.BetaLow)
	w.number("beta_high", a.BetaHigh)
	w.count("unseen", a.Unseen)
	w.floats("label_mass", a.LabelMass)
	w.flag("correct", a.Correct)
	w.number("error", a.Error)
	w.number("cost", a.Cost)
	w.whole("prompt_tokens", a.Prompted)
	w.whole("completion_tokens", a.Completed)
	w.word("tokens_estimated", a.Estimated)
	w.word("finish", a.Finish)
	w.count("truncated", a.Truncated)
	w.number("latency_s", a.LatencySecs)
	if len(a.Scores) > 0 {
		w.name("scores")
		w.open('{')
		for _, name := range slices.Sorted(maps.Keys(a.Scores)) {
			w.name(name)
			w.float(a.Scores[name])
		}
		w.close('}')
	}
	w.close('}')
}

func (w *line) token(t *RecordToken) {
	w.open('{')
	w.text("t", t.Text)
	w.name("lp")
	w.float(t.Logprob)
	if t.End {
		w.flag("end", true)
	}
	w.close('}')
}

func (w *line) decision(d *Decision) {
	w.open('{')
	w.text("policy", d.Policy)
	w.flag("deferred", d.Deferred)
	if d.Theta != nil {
		w.name("theta")
		w.float(*d.Theta)
	}
	if d.Score != nil {
		w.number("score", *d.Score)
	}
	if len(d.Asked) > 0 {
		w.name("asked")
		w.open('[')
		for _, n := range d.Asked {
			w.item()
			w.b = strconv.AppendInt(w.b, int64(n), 10)
		}
		w.close(']')
	}
	w.count("stage", d.Stage)
	w.floats("thetas", d.Thetas)
	w.close('}')
}

// list writes objects; null for none at all, as encoding/json does.
func list[T any](w *line, items []T, write func(*line, *T)) {
	if items == nil {
		w.b = append(w.b, "null"...)
		return
	}
	w.open('[')
	for i := range items {
		w.item()
		write(w, &items[i])
	}
	w.close(']')
}

func (w *line) open(bracket byte) { w.b = append(w.b, bracket) }

func (w *line) close(bracket byte) { w.b = append(w.b, bracket) }

// item separates the items of a list or an object.
func (w *line) item() {
	if last := w.b[len(w.b)-1]; last != '[' && last != '{' {
		w.b = append(w.b, ',')
	}
}

func (w *line) name(s string) {
	w.item()
	w.quote(s)
	w.b = append(w.b, ':')
}

func (w *line) text(name, s string) {
	w.name(name)
	w.quote(s)
}

// word is text that is left out where it is empty.
func (w *line) word(name, s string) {
	if s != "" {
		w.text(name, s)
	}
}

func (w *line) flag(name string, x bool) {
	w.name(name)
	w.b = strconv.AppendBool(w.b, x)
}

func (w *line) whole(name string, n int) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, int64(n), 10)
}

// count is a whole number that is left out where it is 0.
func (w *line) count(name string, n int) {
	if n != 0 {
		w.whole(name, n)
	}
}

func (w *line) number(name string, x float64) {
	w.name(name)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		w.err = fmt.Errorf("%s is %v, which JSON has no number for", name, x)
		return
	}
	w.b = appendNumber(w.b, x)
}

func (w *line) floats(name string, list []Float) {
	if len(list) == 0 {
		return
	}
	w.name(name)
	w.open('[')
	for _, x := range list {
		w.item()
		w.float(x)
	}
	w.close(']')
}

func (w *line) float(f Float) { w.b = f.append(w.b) }

// quote writes a text. What encoding/json would escape or mend is left to it.
func (w *line) quote(s string) {
	if plain(s) {
		w.b = append(w.b, '"')
		w.b = append(w.b, s...)
		w.b = append(w.b, '"')
		return
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		w.err = err
		return
	}
	w.b = append(w.b, bytes.TrimSuffix(out.Bytes(), []byte{'\n'})...)
}

// plain reports whether a text stands in JSON as it is.
func plain(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c == '"', c == '\\':
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	if ascii {
		return true
	}
	for _, r := range s {
		if r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
			return false
		}
	}
	return true
}

// append writes the number, "inf", "-inf" or null.
func (f Float) append(b []byte) []byte {
	switch v := float64(f); {
	case math.IsNaN(v):
		return append(b, "null"...)
	case math.IsInf(v, 1):
		return append(b, `"inf"`...)
	case math.IsInf(v, -1):
		return append(b, `"-inf"`...)
	default:
		return appendNumber(b, v)
	}
}

// appendNumber writes a finite number as encoding/json does: as ECMAScript, with an exponent for the very small and the
// very large alone.
func appendNumber(b []byte, x float64) []byte {
	form := byte('f')
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		form = 'e'
	}
	b = strconv.AppendFloat(b, x, form, -1, 64)
	if n := len(b); form == 'e' && n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1] // e-09 is e-9
		b = b[:n-1]
	}
	return b
}
