package spec_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"infnet/harness/baseline"
	"infnet/harness/policy"
	"infnet/harness/spec"
)

// A study has the settings of its catalogs where it writes none: single keys of tables, and whole lists. The first
// catalog counts, and mistakes are shown where they are written.
func TestSettingsOfCatalogs(t *testing.T) {
	const study = `study = "tiny"
use = ["one.toml", "two.toml"]
[[models]]
name = "student"
backend = "local"
path = "student"
[[models]]
name = "master"
backend = "local"
path = "master"
[[datasets]]
name = "reviews"
source = "builtin:reviews"
[[cascades]]
models = ["student", "master"]
[report]
digits = 4
`
	load := func(one, two string) (*spec.Study, error) {
		return spec.LoadFS(fstest.MapFS{"s.toml": {Data: []byte(study)}, "one.toml": {Data: []byte(one)},
			"two.toml": {Data: []byte(two)}, "student/config.json": {}, "master/config.json": {}}, "s.toml", options())
	}
	s, err := load("[policy]\ntarget = \"master\"\n[[baselines]]\nkind = \"random\"\np = 0.25\n[report]\ndigits = 3\n",
		"[policy]\ntarget = \"student\"\ncalibration = \"platt\"\n[report]\nlevel = 0.9\ncaption = \"{task}\"\n")
	if err != nil {
		t.Fatal(err)
	}
	if s.Policy.Target.String() != "master" || s.Policy.Calibration != "platt" ||
		s.Policy.Method != spec.Solver(policy.Exact) {
		t.Errorf("policy %+v: want one's target, two's calibration, the default method", s.Policy)
	}
	if *s.Report.Digits != 4 || s.Report.Level != 0.9 || s.Report.Caption != "{task}" || s.Report.Bootstrap != 2000 {
		t.Errorf("report %+v: want the study's digits, two's level and caption, the default bootstrap", s.Report)
	}
	if b := s.Baselines[2]; b.Kind != baseline.Random || b.P != 0.25 {
		t.Errorf("baselines %+v: want one's", s.Baselines)
	}
	_, err = load("[policy]\nsetting = \"oracle\"\n", "[report]\npublished = \"none such\"\n")
	for _, want := range []string{"two.toml:2:13: report.published", "policy.target: target"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %q", err, want)
		}
	}
	if _, err = load("[collect]\nretries = 2\n", ""); err == nil || !strings.Contains(err.Error(),
		"one.toml:1:2: collect: this key has no place in a catalog") {
		t.Error(err)
	}
}
