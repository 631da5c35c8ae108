package cli

import (
	"os"
	"strings"
	"testing"
)

// The two models say the same to the same prompts, and a token of the student
// costs a tenth: accepting all saves 90 %. A server counts one token a word and one more, and the rule four
// characters, which are at most 2 times as many here: so whoever does not
// report, the saving stays between 80 % and 95 %. With unknown taken for 0
// it would be 1 − 8/10 = 20 % (the master's) or 1 − 1/80 = 99 % (the student's).
func TestSavingsOfWhatIsNotReported(t *testing.T) {
	const all, nothing, zeros, promptOnly, cachedApart = "", `null`,
		`{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`, `{"prompt_tokens":7}`,
		`{"prompt_tokens":1,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":6}}`
	const odd = `{"prompt_tokens":500000,"completion_tokens":500000}`
	for _, test := range []struct {
		name            string
		student, master string // usage
		noted           []string
	}{
		{"the student not", nothing, all,
			[]string{"Prompt tokens of 40 of 40 answers of student are not known (not reported, or more than a call can " +
				"take): estimated as 4 characters a token"}},
		{"the answer not", all, promptOnly, nil},
		{"more than can be", odd, all, []string{"answers of student are not known"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			serverStudy(t, 40, quoted(serve(t, &loopback{usage: test.student})),
				quoted(serve(t, &loopback{usage: test.master})), "", "")
			replaceIn(t, "study.toml", "backend = \"one\"\nprice_in = 1.0\nprice_out = 1.0\ncurrency = \"USD\"",
				`backend = "one"`)
			replaceIn(t, "study.toml", "backend = \"two\"\nprice_in = 10.0\nprice_out = 10.0\ncurrency = \"USD\"",
				`backend = "two"`)
			replaceIn(t, "study.toml", "[cost]\nmodel = \"price\"\n\n[collect]", `[collect]`)
			infnet(t, ExitOK, "run", "study.toml")
			d := studyResults(t).Cascades[0].Datasets[0]
			for _, r := range d.Rows {
				if r.Policy == "none" && (r.Saved.Value < 80 || r.Saved.Value > 95) {
					t.Errorf("%s saves %v %%, want about 90; costs %+v", r.Title, r.Saved.Value, d.Costs)
				}
			}
			printed := tables(t)
			for _, note := range test.noted {
				if !strings.Contains(strings.Join(strings.Fields(printed), " "), note) {
					t.Errorf("no footnote %q in\n%s", note, printed)
				}
			}
			if len(test.noted) == 0 && len(d.Counts.Estimated) > 0 {
				t.Errorf("estimated: %+v", d.Counts.Estimated)
			}
			records, err := os.ReadFile("runs/servers/records.jsonl")
			if err != nil || strings.Contains(string(records), `"tokens_estimated":"prompt"`) != (len(test.noted) > 0) {
				t.Errorf("records mark estimates: %v", err)
			}
		})
	}
}
