package builtin

import (
	"encoding/json"
	"strings"
	"testing"
)

// A word list whose items have the wrong parts is refused.
func TestWordListsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		to               any
	}{
		{name: "a part too few", text: `[["man", "men"]]`, to: &[]noun{}, want: "want 7 parts"},
		{name: "an unknown gender", text: `[["a", "b", "c", "d", "male", true, false]]`, to: &[]noun{},
			want: `"male" is none of`},
		{name: "a word for a truth value", text: `[["the soup", "no", [], []]]`, to: &[]aspect{}, want: "bool"},
		{name: "an unknown case", text: `[["of", "von", "genitive"]]`, to: &[]preposition{}, want: `"genitive" is none of`},
		{name: "no list", text: `[{"en": "old"}]`, to: &[]adjective{}, want: "cannot unmarshal object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := json.Unmarshal([]byte(tt.text), tt.to); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}
