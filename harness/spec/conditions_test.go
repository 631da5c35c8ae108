package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/spec"
)

// A dataset with if_set is there exactly where its variable is.
func TestDatasetsOfMoreOrLessData(t *testing.T) {
	fsys := files(small(t, `[[datasets]]
name = "far"
source = "file:${FAR}/reviews.csv"
if_set = "FAR"
task = "classification"
labels = ["negative", "positive"]
prompt = "{text}"
`))
	hashes := map[string]bool{}
	for _, c := range []struct {
		name, value string
		set         bool
		datasets    []string
		leftOut     []string
		warning     string
	}{
		{name: "set", value: "../files", set: true, datasets: []string{"reviews", "far"}},
		{name: "unset", datasets: []string{"reviews"}, leftOut: []string{"far"},
			warning: `the dataset "far" is left out: the environment variable FAR is not set`},
		{name: "empty", set: true, datasets: []string{"reviews"}, leftOut: []string{"far"}, warning: "left out"},
	} {
		o := options()
		o.Getenv = func(name string) (string, bool) { return c.value, c.set && name == "FAR" }
		s, err := spec.LoadFS(fsys, "valid/s.toml", o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var names []string
		for _, d := range s.Datasets {
			names = append(names, d.Name)
		}
		if diff := cmp.Diff(c.datasets, names); diff != "" {
			t.Errorf("%s: datasets (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.datasets, s.Cascades[0].Datasets); diff != "" {
			t.Errorf("%s: datasets of the cascade (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.leftOut, s.LeftOut); diff != "" {
			t.Errorf("%s: left out (-want +got):\n%s", c.name, diff)
		}
		if got := len(s.Warnings) > 0; got != (c.warning != "") ||
			got && !strings.Contains(s.Warnings[0].Message, c.warning) {
			t.Errorf("%s: warnings %v, want %q", c.name, s.Warnings, c.warning)
		}
		hashes[s.Hash] = true
	}
	if len(hashes) != 2 {
		t.Errorf("%d different hashes, want 2: a study with less data is another study", len(hashes))
	}
}
