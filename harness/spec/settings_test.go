package spec_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/spec"
)

const settled = `study = "s"
seed = 7
[[models]]
name = "a"
backend = "simulated"
simulated = { alpha = 2, beta = 1, intercept = 0.3 }
[[models]]
name = "b"
backend = "simulated"
simulated = { alpha = 2, beta = 1, intercept = 0.1 }
[[datasets]]
name = "d"
source = "builtin:reviews"
[[cascades]]
models = ["a", "b"]
[cost]
model = "tokens"
`

func settingsOf(t *testing.T, text string) (map[string]string, string) {
	t.Helper()
	s, err := spec.LoadFS(fstest.MapFS{"s.toml": {Data: []byte(text)}}, "s.toml", options())
	if err != nil {
		t.Fatal(err)
	}
	return s.Settings(), s.Hash
}

// A change of the text changes the keys that it is about, and no others.
func TestSettingsNameWhatChanged(t *testing.T) {
	before, _ := settingsOf(t, settled)
	for _, c := range []struct {
		name, add string
		want      map[string]string // the settings that are new or other
	}{
		{"a target", "[policy]\ntarget = 0.95\n", map[string]string{"policy.target": "0.95"}},
		{"a default written out", "[policy]\ntarget = \"best\"\n", map[string]string{}},
		{"a split", "[split]\nfit = 0.5\n", map[string]string{"datasets.d.split.fit": "0.5"}},
		{"a level", "[report]\nlevel = 0.9\n", map[string]string{"report.level": "0.9"}},
		{"a baseline", "[[baselines]]\nkind = \"random\"\np = 0.25\n", map[string]string{"baselines.random.p": "0.25"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			after, _ := settingsOf(t, settled+c.add)
			got := map[string]string{}
			for key, value := range after {
				if before[key] != value {
					got[key] = value
				}
			}
			for key := range before {
				if _, ok := after[key]; !ok {
					got[key] = ""
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s\nall: %v", diff, after)
			}
		})
	}
}
