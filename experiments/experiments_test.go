package experiments_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/experiments"
	"infnet/harness/dataset/builtin"
	"infnet/harness/spec"
	"infnet/harness/task"
)

func init() { debug.SetGCPercent(400) } // a fifth less of processor time

// options give specs the real generators and a data folder with one row in
// each file: specs are checked, the rows are not read.
func options(t *testing.T) spec.Options {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sst2", "agnews", "emotion", "fakenews", "squad", "wmt14"} {
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl.gz"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"student.jsonl", "master.jsonl"} { // recorded answers
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return spec.Options{
		Builtin: func(name string) (spec.BuiltinSource, error) {
			s, err := builtin.Lookup(name)
			if err != nil {
				return spec.BuiltinSource{}, err
			}
			b := spec.BuiltinSource{Task: task.Kind(s.Task), Prompt: s.Prompt, Fields: s.Fields, MaxTokens: s.MaxTokens}
			for _, l := range s.Labels {
				b.Labels = append(b.Labels, spec.Label{Class: l.Class, Word: l.Word})
			}
			return b, nil
		},
		Getenv: func(name string) (string, bool) { return dir, name == "INFNET_DATA" || name == "INFNET_ANSWERS" },
	}
}

func load(t *testing.T, name string) *spec.Study {
	t.Helper()
	s, err := spec.Load(name, options(t))
	if err != nil {
		t.Fatalf("%s:\n%v", name, err)
	}
	for _, w := range s.Warnings {
		t.Errorf("%s has a warning: %s", name, w)
	}
	return s
}

func TestEverySpecLoads(t *testing.T) {
	specs, err := filepath.Glob("*.toml")
	if err != nil || len(specs) < 3 {
		t.Fatalf("specs: %v, %v", specs, err)
	}
	for _, name := range specs {
		if name == "sufficiency-protocol.toml" {
			continue // loaded, with the warning that its ten shuffles deserve, by TestSufficiencyByThePapersProtocol
		}
		s := load(t, name)
		if want := strings.TrimSuffix(name, ".toml"); s.Name != want {
			t.Errorf("%s is the study %q: its results would lie in another folder than its name says", name, s.Name)
		}
	}
}

func TestQuickstartIsThePairOnFourDatasets(t *testing.T) {
	s := load(t, "quickstart.toml")
	if len(s.Models) != 2 || len(s.Datasets) != 4 || len(s.Cascades) != 1 {
		t.Fatalf("%d models, %d datasets, %d cascades; want 2, 4, 1", len(s.Models), len(s.Datasets), len(s.Cascades))
	}
	for _, d := range s.Datasets {
		if d.Split.Limit != 1000 || d.Prompt == "" || d.Source.Scheme != spec.Builtin {
			t.Errorf("%s: limit %d, prompt %q, source %q", d.Name, d.Split.Limit, d.Prompt, d.Source.Text)
		}
	}
	if got, want := s.Cascades[0].Models, []string{"tiny-student", "tiny-master"}; !slices.Equal(got, want) {
		t.Errorf("cascade of %v, want %v", got, want)
	}
}

// The embedded quickstart is the one in the folder, wherever it runs.
func TestEmbeddedQuickstartIsTheSameStudy(t *testing.T) {
	files := fstest.MapFS{}
	err := fs.WalkDir(experiments.Files, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[p] = &fstest.MapFile{}
		if strings.HasSuffix(p, ".toml") {
			files[p].Data, err = experiments.Files.ReadFile(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// Folders are not embedded where they hold nothing yet.
	files["models/tiny-student/config.json"] = &fstest.MapFile{}
	files["models/tiny-master/config.json"] = &fstest.MapFile{}
	s, err := spec.LoadFS(files, experiments.Quickstart, options(t))
	if err != nil {
		t.Fatal(err)
	}
	if s.FS == nil || s.Models[0].Config.Settings.(*backends.FolderConfig).Path != "models/tiny-student" {
		t.Errorf("the embedded study looks for %q outside its file system",
			s.Models[0].Config.Settings.(*backends.FolderConfig).Path)
	}
	if disk := load(t, "quickstart.toml"); s.Hash != disk.Hash {
		t.Errorf("embedded hash %s, on disk %s", s.Hash, disk.Hash)
	}
}

// The nightly study has four datasets everywhere, and ten where there is data.
func TestNightlyRunsOnEveryMachine(t *testing.T) {
	if s := load(t, "nightly.toml"); len(s.Datasets) != 10 || len(s.LeftOut) != 0 {
		t.Errorf("with data: %d datasets, %v left out; want 10 and none", len(s.Datasets), s.LeftOut)
	}
	bare := options(t)
	bare.Getenv = func(string) (string, bool) { return "", false }
	s, err := spec.Load("nightly.toml", bare)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Datasets) != 4 || len(s.LeftOut) != 6 || len(s.Warnings) != 6 {
		t.Errorf("without data: %d datasets, %v left out, %d warnings; want 4, six, 6", len(s.Datasets), s.LeftOut,
			len(s.Warnings))
	}
}

func TestRealTextUsesTheWordsTheModelsLearned(t *testing.T) {
	s := load(t, "real-text.toml")
	for _, want := range []struct {
		name, prompt string
		words        []string
	}{
		{"sst2", "Review: {text}\nSentiment:", []string{" negative", " positive"}},
		{"agnews", "News: {text}\nTopic:", []string{" World", " Sports", " Business", " Science"}},
		{"emotion", "Message: {text}\nEmotion:", []string{" sadness", " joy", " love", " anger", " fear", " surprise"}},
	} {
		d, ok := s.Dataset(want.name)
		if !ok {
			t.Fatalf("no dataset %s", want.name)
		}
		if d.Prompt != want.prompt || !slices.Equal(d.Continuations(), want.words) || d.Split.Limit != 2000 {
			t.Errorf("%s: prompt %q, words %q, limit %d", d.Name, d.Prompt, d.Continuations(), d.Split.Limit)
		}
	}
}

func TestCatalogsHoldThePapersProtocol(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	study := filepath.Join(t.TempDir(), "paper.toml")
	text := fmt.Sprintf("study = \"paper\"\nuse = [%q, %q]\n[[cascades]]\nmodels = [\"tiny-student\", \"tiny-master\"]\n",
		filepath.ToSlash(filepath.Join(here, "catalog/models.toml")),
		filepath.ToSlash(filepath.Join(here, "catalog/datasets.toml")))
	if err := os.WriteFile(study, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := load(t, study)
	if len(s.Datasets) != 6 {
		t.Errorf("%d datasets, the paper has 6", len(s.Datasets))
	}
	for _, d := range s.Datasets {
		limit := 8000
		if d.Name == "fakenews" {
			limit = 4000
		}
		if d.Split.Limit != limit || d.Split.Fit != 0.8 || d.Split.Order != spec.InFile {
			t.Errorf("%s: split %+v, the paper's is the first %d in order, 0.8 to fit", d.Name, d.Split, limit)
		}
	}
	// Greedy, 9 new tokens for SQuAD and 30 for WMT: the authors' program.
	for name, tokens := range map[string]int{"squad": 9, "wmt": 30, "sst-2": 0} {
		if d, _ := s.Dataset(name); d.MaxTokens != tokens {
			t.Errorf("%s: %d new tokens, want %d", name, d.MaxTokens, tokens)
		}
	}
	if s.Models[0].Config.Model.Kind != backends.Local {
		t.Errorf("model %s is %s", s.Models[0].Name, s.Models[0].Config.Model.Kind)
	}
}

// The catalog of the hub is that of files with other sources.
func TestHubCatalogIsTheOtherOne(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	study := func(catalog string) *spec.Study {
		name := filepath.Join(t.TempDir(), "paper.toml")
		text := fmt.Sprintf("study = \"paper\"\nuse = [%q, %q]\n[[cascades]]\nmodels = [\"tiny-student\", \"tiny-master\"]\n",
			filepath.ToSlash(filepath.Join(here, "catalog/models.toml")), filepath.ToSlash(filepath.Join(here, catalog)))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return load(t, name)
	}
	files, hub := study("catalog/datasets.toml"), study("catalog/hub.toml")
	sources := map[string]string{
		"sst-2": "hf:nyu-mll/glue/sst2:train", "fakenews": "hf:Pulk17/Fake-News-Detection-dataset:train",
		"emotion": "hf:dair-ai/emotion/split:train",
		"agnews":  "hf:fancyzhx/ag_news/default:train", "squad": "hf:rajpurkar/squad/plain_text:train",
		"wmt": "hf:wmt/wmt_t2t/de-en:train",
	}
	if len(hub.Datasets) != len(sources) || len(files.Datasets) != len(sources) {
		t.Fatalf("%d datasets on the hub, %d in files; want %d", len(hub.Datasets), len(files.Datasets), len(sources))
	}
	for i := range hub.Datasets {
		h, f := hub.Datasets[i], files.Datasets[i]
		if h.Source.Scheme != spec.Hub || h.Source.Name != sources[h.Name] {
			t.Errorf("%s comes from %q, want %q", h.Name, h.Source.Name, sources[h.Name])
		}
		h.Source, f.Source = spec.Source{}, spec.Source{}
		for _, d := range []*spec.Dataset{&h, &f} { // what columns are called
			d.IDColumn, d.GroupColumn, d.ReferenceColumn, d.Columns = "", "", "", nil
			for k := range d.Fields {
				d.Fields[k].Column = ""
			}
		}
		if diff := cmp.Diff(f, h); diff != "" {
			t.Errorf("%s (-files +hub):\n%s", h.Name, diff)
		}
	}
}

// The catalog has the paper's six models, each pinned and priced.
func TestCatalogHoldsThePapersModels(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{
		"gemma3-1b": "google/gemma-3-1b-it", "gemma3-4b": "google/gemma-3-4b-it", "gemma3-12b": "google/gemma-3-12b-it",
		"gemma3-27b": "google/gemma-3-27b-it",
		"qwen3-4b":   "Qwen/Qwen3-4B-Instruct-2507", "ministral3-3b": "mistralai/Ministral-3-3B-Instruct-2512",
	}
	study := filepath.Join(t.TempDir(), "paper.toml")
	text := fmt.Sprintf("study = \"paper\"\nuse = [%q]\n[[datasets]]\nname = \"reviews\"\nsource = "+
		"\"builtin:reviews\"\n[cost]\nsummary = \"signature\"\n",
		filepath.ToSlash(filepath.Join(here, "catalog/models.toml")))
	for name := range ids {
		if name != "gemma3-27b" {
			text += fmt.Sprintf("[[cascades]]\nmodels = [%q, \"gemma3-27b\"]\n", name)
		}
	}
	if err := os.WriteFile(study, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := load(t, study) // no warning: every model has a revision
	if len(s.Models) != len(ids) {
		t.Fatalf("%d models, the paper has %d", len(s.Models), len(ids))
	}
	for _, m := range s.Models {
		if id := m.Config.Model; id.ID != ids[m.Name] || len(id.Revision) != 40 || id.Kind != backends.OpenAI ||
			m.Mode != backends.Raw {
			t.Errorf("%s is %+v, mode %s", m.Name, id, m.Mode)
		}
		if m.Shape == nil || m.Params < 1 {
			t.Errorf("%s has shape %+v and %v billion parameters", m.Name, m.Shape, m.Params)
		}
	}
}

// The example of servers puts its own addresses over the catalog's.
func TestServersHaveAddressesOfTheirOwn(t *testing.T) {
	s := load(t, "servers.toml")
	seen := map[string]string{}
	for _, m := range s.Models {
		for _, u := range m.Config.Settings.(*backends.OpenAIConfig).URLs {
			if before, again := seen[u]; again || strings.Contains(u, "localhost") {
				t.Errorf("%s is at %s, as is %s: a server of this kind has one model", m.Name, u, before)
			}
			seen[u] = m.Name
		}
	}
	if len(seen) != 3 {
		t.Errorf("addresses %v, want three", seen)
	}
}
