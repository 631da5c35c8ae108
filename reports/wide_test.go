package reports

import (
	"strings"
	"testing"

	"infnet/harness/result"
)

// A table says how many confidences are the upper end of bounds, and of how many of them little is known.
func TestNotesOnBounds(t *testing.T) {
	d := &result.Dataset{Counts: result.Counts{Records: 10, Used: 10, Test: 10,
		Unseen: []result.Missing{{Model: "s", Count: 5}}, Wide: []result.Missing{{Model: "s", Count: 2}}}}
	var all []string
	for _, n := range datasetNotes(d) {
		all = append(all, n.Text)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"the upper end of its bounds (s: 5).",
		"lower by more than 0.1, for it is the upper end of its bounds (s: 2)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the notes lack %q:\n%s", want, text)
		}
	}
}
