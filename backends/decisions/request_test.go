package decisions_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"infnet/backends"
)

// Both forms as OpenAI's API takes them (gproxy-protocol's decisions.rs; a predicate has no descriptions).
func TestOpenAIRequest(t *testing.T) {
	for f, want := range map[backends.DecisionForm]string{
		backends.AsChoice: `{"model":"jev","input":"state ","questions":[{"type":"choice","name":"class","instructions":"Which?",` +
			`"choices":[{"value":"a"},{"value":"b c","description":"the other"}]}]}`,
		backends.AsNoul: `{"model":"jev","input":"state ","questions":[{"type":"predicate","name":"class",` +
			`"instructions":"Which?\n\nTrue means: a\nFalse means: the other"}]}`,
		backends.AsScore: `{"model":"jev","input":"state ","questions":[{"type":"score","name":"class","instructions":"Which?",` +
			`"levels":[{"label":"a"},{"label":"b c","description":"the other"}]}]}`,
	} {
		c := config("", backends.OpenAIDecisions, f)
		_, sent := ask(t, reply(backends.OpenAIDecisions, f, 0.75), requests(c, 1)[0], c)
		var wanted map[string]any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, sent); diff != "" {
			t.Errorf("%s (-want +got)\n%s", f, diff)
		}
	}
}
