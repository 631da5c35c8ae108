package recorded

import (
	"testing"

	"infnet/backends"
)

// Two rows have one hash where they say the same, wherever they say it.
func TestHashOfRows(t *testing.T) {
	row := func() Row {
		f, g := 0.5, 1.0
		return Row{IDs: []string{"a", "b"}, Place: "line 1", Text: "x \"y\"", Said: true, Confidence: &f, Grade: &g,
			Cost: &backends.Money{Amount: 1, Currency: "USD"}, Tokens: []backends.Token{{Text: "x", Logprob: -1}},
			Usage: backends.Usage{Prompt: backends.Counted(3)}}
	}
	want := hashRow(row())
	same := row()
	same.Place = "line 2"
	if hashRow(same) != want {
		t.Error("the place counts")
	}
	for name, change := range map[string]func(*Row){
		"id":         func(r *Row) { r.IDs = []string{"a", "c"} },
		"text":       func(r *Row) { r.Text += " " },
		"confidence": func(r *Row) { *r.Confidence = 0.25 },
		"no grade":   func(r *Row) { r.Grade = nil },
		"currency":   func(r *Row) { r.Cost.Currency = "EUR" },
		"token":      func(r *Row) { r.Tokens[0].Logprob = -2 },
		"usage":      func(r *Row) { r.Usage.Prompt = backends.Count{} },
		"finish":     func(r *Row) { r.Finish = backends.FinishEnd },
	} {
		r := row()
		if change(&r); hashRow(r) == want {
			t.Errorf("%s does not count", name)
		}
	}
}
