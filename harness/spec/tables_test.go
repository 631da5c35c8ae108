package spec_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/baseline"
	"infnet/harness/policy"
	"infnet/harness/result/style"
	"infnet/harness/router"
	"infnet/harness/spec"
	"infnet/sufficiency"
)

// small is the smallest study, with more lines at its end.
func small(t *testing.T, more string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/valid/small.toml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + more
}

func loaded(t *testing.T, text string) *spec.Study {
	t.Helper()
	s, err := spec.LoadFS(files(text), "valid/s.toml", options())
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return s
}

// A change of the text changes the keys that it is about, and no others.
func TestSettingsNameWhatChanged(t *testing.T) {
	before := loaded(t, small(t, "")).Settings()
	for _, c := range []struct {
		name, add string
		want      map[string]string // the settings that are new or other
	}{
		{"a target", "[policy]\ntarget = 0.95\n", map[string]string{"policy.target": "0.95"}},
		{"a default written out", "[policy]\ntarget = \"best\"\n", map[string]string{}},
		{"a split", "[split]\nfit = 0.5\n", map[string]string{"datasets.reviews.split.fit": "0.5"}},
		{"a level", "[report]\nlevel = 0.9\n", map[string]string{"report.level": "0.9"}},
		{"a baseline", "[[baselines]]\nkind = \"random\"\np = 0.25\n", map[string]string{"baselines.random.p": "0.25"}},
	} {
		got := map[string]string{}
		after := loaded(t, small(t, c.add)).Settings()
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
			t.Errorf("%s: settings (-want +got):\n%s\nall: %v", c.name, diff, after)
		}
	}
}

// What a spec says of the looks of tables is what the study holds.
func TestStyle(t *testing.T) {
	for lines, want := range map[string]style.Style{
		"":                    {},
		"layout = \"full\"\n": {Layout: style.Full},
		`layout = "paper"
figures = ["svg", "pdf"]
draw = ["frontier"]
[report.titles]
sst-2 = "SST-2"
`: {Layout: style.Paper, Titles: map[string]string{"sst-2": "SST-2"}, Figures: []style.Format{style.SVG, style.PDF},
			Draw: []style.Kind{style.Frontier}},
	} {
		if diff := cmp.Diff(want, loaded(t, small(t, "[report]\n"+lines)).Report.Style); diff != "" {
			t.Errorf("%s (-want +got)\n%s", lines, diff)
		}
	}
}

// with loads the smallest study with catalogs; over stands for --use.
func with(t *testing.T, more, one, two, over string) (*spec.Study, error) {
	t.Helper()
	fsys := files("use = [\"one.toml\", \"two.toml\"]\n" + small(t, more))
	fsys["valid/one.toml"], fsys["valid/two.toml"], fsys["over.toml"] = file(one), file(two), file(over)
	o := options()
	if over != "" {
		o.Use = []string{"over.toml"}
	}
	return spec.LoadFS(fsys, "valid/s.toml", o)
}

func TestSlurm(t *testing.T) {
	const table = "[slurm]\nshards = 16\ntime = \"4h\"\ngpus = 1\noptions = [\"--partition=gpu\"]\nsetup = [\"module " +
		"load cuda\"]\n"
	one := 1
	want := spec.Slurm{Shards: 16, Time: 4 * time.Hour, GPUs: &one, Setup: []string{"module load cuda"},
		Options: []string{"--partition=gpu"}}
	plain, err := with(t, "", "", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := plain.Cluster(); got.Shards != 1 || got.GPUs != nil || plain.Slurm != nil {
		t.Errorf("nothing said: %+v", got)
	}
	for _, test := range []struct{ name, study, catalog, over string }{
		{name: "in the study", study: table},
		{name: "in a catalog", catalog: table},
		{name: "the study over its catalog", study: table, catalog: "[slurm]\nshards = 3\n"},
		{name: "--use over the study", study: "[slurm]\nshards = 3\n", over: table},
	} {
		s, err := with(t, test.study, test.catalog, "", test.over)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(want, s.Cluster()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if s.Hash != plain.Hash {
			t.Errorf("%s: the study's hash depends on [slurm]", test.name)
		}
	}
}

// A study has the settings of its catalogs where it writes none: single keys of tables, and whole lists. The first
// catalog counts, and mistakes are shown where they are written.
func TestSettingsOfCatalogs(t *testing.T) {
	const own = "[report]\nlevel = 0.8\n"
	s, err := with(t, own, "[policy]\ntarget = \"master\"\n[[baselines]]\nkind = \"random\"\np = 0.25\n[report]\nlevel "+
		"= 0.7\n", "[policy]\ntarget = \"student\"\ncalibration = \"platt\"\n[report]\nlevel = 0.9\nlayout = \"paper\"\n", "")
	if err != nil {
		t.Fatal(err)
	}
	if s.Policy.Target.String() != "master" || s.Policy.Calibration != "platt" ||
		s.Policy.Method != spec.Solver(policy.Exact) {
		t.Errorf("policy %+v: want one's target, two's calibration, the default method", s.Policy)
	}
	if s.Report.Level != 0.8 || s.Report.Layout != style.Paper || s.Report.Bootstrap != 2000 {
		t.Errorf("report %+v: want the study's level, two's layout, the default bootstrap", s.Report)
	}
	if b := s.Baselines[2]; b.Kind != baseline.Random || b.P != 0.25 {
		t.Errorf("baselines %+v: want one's", s.Baselines)
	}
	_, err = with(t, own, "[policy]\nsetting = \"oracle\"\n", "[report]\npublished = \"none such\"\n", "")
	for _, want := range []string{"two.toml:2:13: report.published", "policy.target: target"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %q", err, want)
		}
	}
	if _, err = with(t, own, "[collect]\nretries = 2\n", "", ""); err == nil || !strings.Contains(err.Error(),
		"one.toml:1:2: collect: this key has no place in a catalog") {
		t.Error(err)
	}
}

// A program that learns is named with its words, and they are a part of the study.
func TestLearners(t *testing.T) {
	text := small(t, `[[baselines]]
kind = "hybridllm"
delta = 0.02
compat = "released"
[[baselines]]
kind = "frugalgpt"
learner = "command"
command = ["python3", "../distilbert.py", "--epochs=3"]
`)
	s := loaded(t, text)
	var got []spec.Baseline
	for _, b := range s.Baselines {
		if b.Kind.Learns() {
			got = append(got, b)
		}
	}
	want := []spec.Baseline{
		{Kind: baseline.FrugalGPT, Learner: router.Command,
			Command: []string{"python3", "../distilbert.py", "--epochs=3"}},
		{Kind: baseline.HybridLLM, Learner: router.Light, Delta: 0.02, Released: true},
	}
	if diff := cmp.Diff(want, got); diff != "" || got[0].Program() != "distilbert" {
		t.Errorf("%q (-want +got):\n%s", got[0].Program(), diff)
	}
	if r := s.Reach(); len(r.Programs) != 1 || !strings.HasPrefix(r.Programs[0], "python3 ../distilbert.py --epochs=3 (") {
		t.Errorf("programs %q", r.Programs)
	}
	if loaded(t, strings.Replace(text, "epochs=3", "epochs=4", 1)).Hash == s.Hash {
		t.Error("another command, and the hash is the same")
	}
	if _, err := spec.LoadFS(files(strings.Replace(text, "[\"python3\", \"../distilbert.py\", \"--epochs=3\"]", "[]", 1)),
		"valid/s.toml", options()); err == nil || !strings.Contains(err.Error(), "a word of the program is missing") {
		t.Errorf("a program without words: %v", err)
	}
}

func TestSufficiencyTable(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       *spec.Sufficiency
		warning    string
	}{
		{name: "without a table", text: small(t, "")},
		{name: "an empty table means the defaults", text: small(t, "[sufficiency]\n"),
			want: &spec.Sufficiency{Extra: []spec.Extra{spec.OutputStats}, Test: sufficiency.Test{Method: sufficiency.PCM}}},
		{name: "all of it", text: small(t, "[sufficiency]\nextra = [\"embeddings\", \"output-stats\"]\n"+
			"method = \"plain\"\npermutations = 99\ndimensions = 64\n"),
			want: &spec.Sufficiency{Extra: []spec.Extra{spec.Embeddings, spec.OutputStats}, Test: sufficiency.Test{
				Method: sufficiency.Plain, Permutations: 99}, Dimensions: 64}},
		{name: "ten shuffles cannot reach 0.05",
			text: small(t, "[sufficiency]\nmethod = \"plain\"\npermutations = 10\nextra = [\"embeddings\"]"),
			want: &spec.Sufficiency{Extra: []spec.Extra{spec.Embeddings}, Test: sufficiency.Test{
				Method: sufficiency.Plain, Permutations: 10}, Dimensions: 100},
			warning: "10 permutations give p-values of 0.0909 or more"}, // 1/11
	} {
		s := loaded(t, test.text)
		if diff := cmp.Diff(test.want, s.Sufficiency); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		warned := ""
		for _, w := range s.Warnings {
			warned += w.Message
		}
		if (warned == "") != (test.warning == "") || !strings.Contains(warned, test.warning) {
			t.Errorf("%s: warnings %q, want %q", test.name, warned, test.warning)
		}
	}
}
