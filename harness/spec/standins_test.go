package spec_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/harness/baseline"
	"infnet/harness/router"
	"infnet/harness/spec"
)

const pairs = `
study = "pairs"
use = ["models.toml"]
[[datasets]]
name = "reviews"
source = "builtin:reviews"
[[cascades]]
models = ["a", "b"]
[[cascades]]
models = ["a", "c"]
`

const pairModels = `
[[models]]
name = "a"
backend = "gpu"
shape = "gemma3-1b"
revision = "1"
[[models]]
name = "b"
backend = "gpu"
shape = "gemma3-4b"
revision = "2"
[[models]]
name = "c"
backend = "gpu"
shape = "gemma3-12b"
revision = "3"
[[models]]
name = "small"
backend = "local"
path = "builtin:tiny-student"
[[models]]
name = "large"
backend = "local"
path = "builtin:tiny-master"
[backends.gpu]
kind = "openai"
urls = ["http://localhost:8000/v1"]
`

func load(t *testing.T, study string, files map[string]string, change func(*spec.Options)) (*spec.Study, error) {
	t.Helper()
	fsys := fstest.MapFS{"study.toml": {Data: []byte(study)}}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	o := options()
	change(&o)
	return spec.LoadFS(fsys, "study.toml", o)
}

func TestModelsStandInByRoleAndByName(t *testing.T) {
	for _, tt := range []struct {
		name string
		over map[string]string
		want [][]string
		ins  []spec.StandIn
	}{
		{name: "nobody", want: [][]string{{"a", "b"}, {"a", "c"}}},
		{name: "both roles", over: map[string]string{"student": "small", "master": "large"},
			want: [][]string{{"small", "large"}, {"small", "large"}},
			ins: []spec.StandIn{{For: "a", Model: "small", Role: "student"}, {For: "b", Model: "large", Role: "master"},
				{For: "c", Model: "large", Role: "master"}}},
		{name: "one by name", over: map[string]string{"c": "large"}, want: [][]string{{"a", "b"}, {"a", "large"}},
			ins: []spec.StandIn{{For: "c", Model: "large"}}},
		{name: "a name goes before a role", over: map[string]string{"master": "large", "b": "b"},
			want: [][]string{{"a", "b"}, {"a", "large"}},
			ins:  []spec.StandIn{{For: "c", Model: "large", Role: "master"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := load(t, pairs, map[string]string{"models.toml": pairModels},
				func(o *spec.Options) { o.StandIns = tt.over })
			if err != nil {
				t.Fatal(err)
			}
			var got [][]string
			for i, c := range s.Cascades {
				got = append(got, c.Models)
				if want := []string{"a+b", "a+c"}[i]; c.Name != want {
					t.Errorf("the cascade %s is called %s now", want, c.Name)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("models asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.ins, s.StandIns); diff != "" {
				t.Errorf("stand-ins (-want +got):\n%s", diff)
			}
			if len(s.Warnings) > 0 {
				t.Errorf("warnings: %v", s.Warnings)
			}
			plain, err := load(t, pairs, map[string]string{"models.toml": pairModels}, func(*spec.Options) {})
			if err != nil {
				t.Fatal(err)
			}
			if (s.Hash == plain.Hash) != (len(tt.ins) == 0) {
				t.Error("a study with stand-ins must not pass for the study itself")
			}
		})
	}
}

func TestStandInsThatAreWrong(t *testing.T) {
	for _, tt := range []struct {
		name string
		over map[string]string
		want []string
	}{
		{name: "unknown role", over: map[string]string{"studnet": "small"},
			want: []string{`no role and no model is named "studnet"`, `did you mean "student"?`}},
		{name: "unknown model", over: map[string]string{"student": "smal"},
			want: []string{`no model is named "smal"`, `did you mean "small"?`, "--use FILE"}},
		{name: "both the same", over: map[string]string{"student": "small", "master": "small"},
			want: []string{"in the cascade a+b, a and b are both small"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, pairs, map[string]string{"models.toml": pairModels},
				func(o *spec.Options) { o.StandIns = tt.over })
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
		})
	}
}

// Files over the study replace what has the same name, and nothing else.
func TestFilesOverTheStudy(t *testing.T) {
	over := `
[[models]]
name = "b"
backend = "gpu"
shape = "gemma3-27b"
revision = "9"
[backends.gpu]
kind = "openai"
urls = ["http://elsewhere:8000/v1"]
[[datasets]]
name = "reviews"
source = "builtin:reviews"
limit = 77
`
	s, err := load(t, pairs, map[string]string{"models.toml": pairModels, "over.toml": over},
		func(o *spec.Options) { o.Use = []string{"over.toml"} })
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]string{"models.toml": pairModels, "over.toml": over, "y.toml": strings.NewReplacer(`"9"`, `"8"`,
		"77", "78", "elsewhere", "y").Replace(over)}
	for _, use := range [][]string{{"y.toml", "over.toml"}, {"over.toml", "y.toml", "over.toml"}} { // the last one counts
		other, err := load(t, pairs, last, func(o *spec.Options) { o.Use = use })
		if err != nil || other.Hash != s.Hash || len(other.Warnings) > 0 {
			t.Errorf("%q: %v, another hash or warnings than of the last file alone", use, err)
		}
	}
	other, err := load(t, pairs, last, func(o *spec.Options) { o.Use = []string{"over.toml", "y.toml"} })
	if err != nil || other.Hash == s.Hash {
		t.Errorf("the hash does not cover the last file over the study (%v)", err)
	}
	if len(s.Warnings) > 0 {
		t.Errorf("warnings: %v", s.Warnings)
	}
	a, _ := s.Model("a")
	b, _ := s.Model("b")
	d, _ := s.Dataset("reviews")
	if a.Config.Model.Revision != "1" || b.Config.Model.Revision != "9" || d.Split.Limit != 77 {
		t.Errorf("a has revision %s, b %s, reviews %d rows; want 1, 9, 77", a.Config.Model.Revision, b.Config.Model.Revision,
			d.Split.Limit)
	}
	if got := a.Config.Settings.(*backends.OpenAIConfig).URLs[0]; got != "http://elsewhere:8000/v1" {
		t.Errorf("a is asked at %s", got)
	}
	for _, tt := range []struct{ name, file, text, want string }{
		{name: "no file", file: "other.toml", text: "", want: "--use over.toml: cannot read the catalog"},
		{name: "twice in it", file: "over.toml",
			text: strings.Repeat("[[models]]\nname = \"b\"\nbackend = \"local\"\npath = \"builtin:tiny-master\"\n",
				2), want: `the name "b" is taken`},
		{name: "a cascade", file: "over.toml", text: "[[cascades]]\nmodels = [\"a\", \"b\"]\n",
			want: "has no place in a catalog"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, pairs, map[string]string{"models.toml": pairModels, tt.file: tt.text},
				func(o *spec.Options) { o.Use = []string{"over.toml"} })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

// Learners of infnet's own stand in for a program.
func TestLearnersStandIn(t *testing.T) {
	study := pairs + `
[[baselines]]
kind = "frugalgpt"
learner = "command"
command = ["python3", "learn.py"]
`
	for _, tt := range []struct {
		over    map[string]string
		learner router.Kind
		ins     []spec.StandIn
	}{
		{learner: router.Command},
		{over: map[string]string{"learner": "light"}, learner: router.Light,
			ins: []spec.StandIn{{For: "learn", Model: "light", Role: "learner", Part: spec.LearnerRole}}},
	} {
		s, err := load(t, study, map[string]string{"models.toml": pairModels},
			func(o *spec.Options) { o.StandIns = tt.over })
		if err != nil {
			t.Errorf("%v: %v", tt.over, err)
			continue
		}
		i := slices.IndexFunc(s.Baselines, func(b spec.Baseline) bool { return b.Kind == baseline.FrugalGPT })
		if got := s.Baselines[i]; got.Learner != tt.learner || (got.Command == nil) != (tt.ins != nil) ||
			!slices.Equal(s.StandIns, tt.ins) || s.AsksOthers() || len(s.Warnings) > 0 {
			t.Errorf("%v: %+v, stand-ins %v, warnings %v", tt.over, got, s.StandIns, s.Warnings)
		}
	}
	if _, err := load(t, study, map[string]string{"models.toml": pairModels},
		func(o *spec.Options) { o.StandIns = map[string]string{"learner": "ligt"} }); err == nil ||
		!strings.Contains(err.Error(), `did you mean "light"?`) {
		t.Errorf("error %v names no nearest learner", err)
	}
}

// Where the lexical embedder stands in, no rule rests on its cosine.
func TestEmbeddersStandIn(t *testing.T) {
	study := `
study = "cosine"
use = ["models.toml"]
[embedder]
model = "sentences"
[scorer]
model = "likely"
[correct]
rule = "cosine"
tau = 0.8
[[datasets]]
name = "news"
source = "file:news.csv"
task = "translation"
reference = "en"
prompt = "{de}"
[[cascades]]
models = ["a", "b"]
`
	files := map[string]string{"news.csv": "de,en\nja,yes\n", "enc/config.json": "{}", "models.toml": pairModels + `
[[models]]
name = "sentences"
backend = "encoder"
path = "enc"
[[models]]
name = "likely"
backend = "bart"
path = "enc"
[[models]]
name = "others"
backend = "encoder"
path = "enc"
`}
	for _, tt := range []struct {
		over string
		name string
		rule string
		tau  float64
		ins  int
	}{
		{name: "sentences", rule: "cosine", tau: 0.8},
		{over: "lexical", name: "lexical", rule: "token-f1", tau: 0.7, ins: 2},
		{over: "others", name: "others", rule: "cosine", tau: 0.8, ins: 2},
	} {
		s, err := load(t, study, files, func(o *spec.Options) {
			if tt.over != "" {
				o.StandIns = map[string]string{"embedder": tt.over, "scorer": "none"}
			}
		})
		if err != nil {
			t.Errorf("%s: %v", tt.over, err)
			continue
		}
		c := s.Datasets[0].Correct
		if s.Scorer == nil == (tt.over == "") {
			t.Errorf("%q: scorer %v", tt.over, s.Scorer)
		}
		for _, x := range s.StandIns {
			if x.Part != spec.EmbedderRole && x.Part != spec.ScorerRole || s.AsksOthers() {
				t.Errorf("%q: stand-in %+v passes for a language model of the study", tt.over, x)
			}
		}
		if s.Embedder.Name() != tt.name || string(c.Rule) != tt.rule || c.Tau != tt.tau || len(s.StandIns) != tt.ins ||
			len(s.Warnings) > 0 {
			t.Errorf("%q: embedder %s, rule %s ≥ %v, stand-ins %v, warnings %v", tt.over, s.Embedder.Name(), c.Rule, c.Tau,
				s.StandIns, s.Warnings)
		}
	}
}
