package spec_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/harness/cost"
	"infnet/harness/spec"
)

// served is a study of two models behind servers; more is put before its
// first table, and after its last.
func served(student, master, more string) string {
	return fmt.Sprintf(`study = "served"

[[models]]
name = "student"
id = "acme/small"
revision = "c0ffee"
backend = "gpu"
%s

[[models]]
name = "master"
revision = "1"
backend = "gpu"
%s

[[datasets]]
name = "reviews"
source = "builtin:reviews"

[[cascades]]
models = ["student", "master"]

%s
`, student, master, more)
}

const gpu = "[backends.gpu]\nkind = \"openai\"\nurls = [\"http://gpu0:8000/v1/\"]\n"

func loadServed(t *testing.T, text string) *spec.Study {
	t.Helper()
	s, err := spec.LoadFS(files(text), "valid/s.toml", options())
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return s
}

// The defaults are those the reference prints.
func TestServerDefaults(t *testing.T) {
	s := loadServed(t, served(`shape = "gemma3-1b"`, `shape = "qwen3-4b"`, gpu))
	want := &backends.OpenAIConfig{
		Access: backends.Access{URLs: []string{"http://gpu0:8000/v1"}, Served: "acme/small", Timeout: 5 * time.Minute,
			Concurrency: 16}, OpenAIOptions: backends.OpenAIOptions{
			Labels: backends.LabelsAuto, TopLogprobs: 20,
			MaxTokensField: "max_tokens"},
	}
	m := s.Models[0]
	if diff := cmp.Diff(want, m.Config.Settings.(*backends.OpenAIConfig)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if id := (backends.ModelID{ID: "acme/small", Revision: "c0ffee", Kind: backends.OpenAI}); m.Config.Model != id {
		t.Errorf("model %+v, want %+v", m.Config.Model, id)
	}
	if m.Mode != backends.Raw || m.HeadersEnv != nil || len(s.Warnings) != 0 {
		t.Errorf("mode %s, headers %v, warnings %v", m.Mode, m.HeadersEnv, s.Warnings)
	}
	if got := s.Models[1].Config.Settings.(*backends.OpenAIConfig).Served; got != "master" {
		t.Errorf("served as %q, want the name, which is the id where none is given", got)
	}
}

// Every key of a server's table arrives.
func TestServerKeysArrive(t *testing.T) {
	s := loadServed(t, served("served = \"small-awq\"\nshape = \"gemma3-1b\"\nparams = 0.9", `shape = "gemma3-4b"`, `[collect]
concurrency = 3
timeout = "7s"

[backends.gpu]
kind = "openai"
urls = ["http://gpu0:8000/v1", "https://gpu1/api"]
urls_of = { master = [" http://gpu2:8000/v1/ "] }
api_key_env = "GPU_KEY"
headers_env = { X-Team = "TEAM" }
labels = "echo"
top_logprobs = 5
max_tokens_field = "max_completion_tokens"
extra = { chat_template_kwargs = { enable_thinking = false }, top_k = 1 }
drop = ["seed"]
timeout = "30s"
concurrency = 64
`))
	want := &backends.OpenAIConfig{
		Access: backends.Access{URLs: []string{"http://gpu0:8000/v1", "https://gpu1/api"}, Served: "small-awq",
			APIKeyEnv: "GPU_KEY", Timeout: 30 * time.Second, Concurrency: 64}, OpenAIOptions: backends.OpenAIOptions{
			Labels: backends.LabelsEcho, TopLogprobs: 5,
			MaxTokensField: "max_completion_tokens"},
		Extra: map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": false}, "top_k": int64(1),
			"seed": nil},
	}
	m := s.Models[0]
	if diff := cmp.Diff(want, m.Config.Settings.(*backends.OpenAIConfig)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"X-Team": "TEAM"}, m.HeadersEnv); diff != "" {
		t.Error(diff)
	}
	if m.Params != 0.9 || m.Shape.Params != 0.9 || m.Shape.Hidden != 1152 {
		t.Errorf("params %v, shape %+v", m.Params, m.Shape)
	}
	if diff := cmp.Diff([]string{"http://gpu2:8000/v1"},
		s.Models[1].Config.Settings.(*backends.OpenAIConfig).URLs); diff != "" {
		t.Error(diff)
	}
	s = loadServed(t, served("mode = \"chat\"\nshape = \"gemma3-1b\"", `shape = "gemma3-4b"`, gpu))
	if got := s.Models[0].Mode; got != backends.Chat {
		t.Errorf("mode %s", got)
	}
	// Without its own, a table takes the study's.
	s = loadServed(t, served(`shape = "gemma3-1b"`, `shape = "gemma3-4b"`,
		"[collect]\nconcurrency = 3\ntimeout = \"7s\"\n"+gpu))
	if c := s.Models[0].Config.Settings.(*backends.OpenAIConfig); c.Concurrency != 3 || c.Timeout != 7*time.Second {
		t.Errorf("concurrency %d, timeout %v; want [collect]'s 3 and 7s", c.Concurrency, c.Timeout)
	}
}

// Settings that change answers change the revision, and nothing else does.
func TestServerRevisions(t *testing.T) {
	models := func(more string) (string, string) {
		s := loadServed(t, served(`shape = "gemma3-1b"`, `shape = "gemma3-4b"`, gpu+more))
		return s.Models[0].Config.Model.Revision, s.Hash
	}
	plain, hash := models("")
	seen := map[string]string{plain: ""}
	for _, test := range []struct {
		more string
		same bool
	}{
		{"labels = \"auto\"\ntop_logprobs = 20\nno_logprobs = false", true},
		{"api_key_env = \"KEY\"\nheaders_env = { X = \"Y\" }\nconcurrency = 5", true},
		{"urls_of = { student = [\"http://elsewhere/v1\"] }", true},
		{"labels = \"token-ids\"", false},
		{"top_logprobs = 5", false},
		{"labels = \"echo\"", false},
		{"extra = { top_k = 1 }", false},
		{"extra = { top_k = 2 }", false},
		{"drop = [\"seed\"]", false},
	} {
		revision, h := models(test.more)
		if (revision == plain) != test.same || (h == hash) != test.same {
			t.Errorf("%s: revision %s beside %s, hash the same is %v; want the same: %v", test.more, revision, plain, h == hash,
				test.same)
		}
		if before, again := seen[revision]; again && !test.same {
			t.Errorf("%s: revision %s as with %q", test.more, revision, before)
		}
		if !strings.HasPrefix(revision, "c0ffee") {
			t.Errorf("%s: revision %s has lost the spec's", test.more, revision)
		}
		seen[revision] = test.more
	}
}

func TestServerWithoutRevisionWarns(t *testing.T) {
	text := strings.Replace(served(`shape = "gemma3-1b"`, `shape = "gemma3-4b"`, gpu), "revision = \"1\"\n", "", 1)
	s := loadServed(t, text)
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].String(), `the model "master" states no revision`) ||
		s.Warnings[0].Line == 0 {
		t.Errorf("warnings %v", s.Warnings)
	}
}

// A study's own table replaces a catalog's, and a catalog's models use it.
func TestBackendsOfCatalogs(t *testing.T) {
	fsys := files(strings.Replace(served(`shape = "gemma3-1b"`, `shape = "gemma3-4b"`, ""), "study =",
		"use = [\"c.toml\", \"../b.toml\"]\nstudy =", 1))
	fsys["valid/c.toml"] = file("[[models]]\nname = \"unused\"\nbackend = \"nowhere\"\n")
	fsys["b.toml"] = file(gpu)
	s, err := spec.LoadFS(fsys, "valid/s.toml", options())
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Models[0].Config.Settings.(*backends.OpenAIConfig).URLs[0]; got != "http://gpu0:8000/v1" {
		t.Errorf("URL %s, want the catalog's", got)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].String(), "nothing of this catalog is used") ||
		s.Warnings[0].File != "valid/c.toml" {
		t.Errorf("warnings %v, want one about c.toml alone", s.Warnings)
	}
	fsys["valid/s.toml"].Data = append(fsys["valid/s.toml"].Data,
		"[backends.gpu]\nkind = \"openai\"\nurls = [\"http://mine/v1\"]\n"...)
	if s, err = spec.LoadFS(fsys, "valid/s.toml", options()); err != nil {
		t.Fatal(err)
	}
	if got := s.Models[0].Config.Settings.(*backends.OpenAIConfig).URLs[0]; got != "http://mine/v1" {
		t.Errorf("URL %s, want the study's own", got)
	}
}

// A model that the run starts from a folder has the folder's content as its revision and shape, unless the spec
// states them. A file of weights has no shape to read.
func TestLaunchedFolder(t *testing.T) {
	const launch = "[backends.gpu]\nkind = \"openai\"\n[backends.gpu.launch]\nengine = \"vllm\"\n" +
		"[cost]\nmodel = \"tflops\"\n"
	for _, test := range []struct {
		name, master string
		content      bool
		problem      string
	}{
		{"a folder", "path = \"../files/master\"", true, ""},
		{"a folder with its shape", "path = \"../files/master\"\nshape = \"gemma3-4b\"", true, ""},
		{"a folder with its revision", "path = \"../files/master\"\nrevision = \"1\"", false, ""},
		{"a file", "path = \"../files/reviews.csv\"", true, "models[1].shape: this key is required"},
		{"a file with its shape", "path = \"../files/reviews.csv\"\nshape = \"gemma3-4b\"", true, ""},
		{"on the hub", "id = \"acme/large\"\nrevision = \"1\"", false, "models[1].shape: this key is required"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(served(`shape = "gemma3-1b"`, test.master, launch), "revision = \"1\"\nbackend",
				"backend", 1)
			s, err := spec.LoadFS(files(text), "valid/s.toml", options())
			if test.problem != "" {
				if err == nil || !strings.Contains(err.Error(), test.problem) {
					t.Errorf("error %v, want %q in it", err, test.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if l := s.Models[1].Config.Settings.(*backends.OpenAIConfig).Launch; l.Content != test.content ||
				len(s.Warnings) > 0 {
				t.Errorf("content %v, warnings %v", l.Content, s.Warnings)
			}
		})
	}
}

// The known shapes are the ones whose work is known: the design's vectors,
// worked out by hand for 100 prompt tokens and one new one.
func TestKnownShapes(t *testing.T) {
	for name, want := range map[string]float64{
		"gemma3-1b": 140_694_142_976, "gemma3-4b": 644_477_583_360, "gemma3-12b": 2_157_663_191_040,
		"gemma3-27b": 5_127_621_410_816, "qwen3-4b": 730_419_691_520, "ministral3-3b": 608_194_592_768,
	} {
		s := loadServed(t, served(fmt.Sprintf("shape = %q", name), `shape = "gemma3-4b"`, gpu))
		m := s.Models[0]
		got, err := cost.FLOPs(*m.Shape, 100, 1)
		if err != nil || got != want {
			t.Errorf("%s: %.0f FLOPs, %v; want %.0f", name, got, err, want)
		}
		if !strings.HasSuffix(name, fmt.Sprintf("-%gb", m.Params)) || m.Shape.Params != m.Params {
			t.Errorf("%s: %v billion parameters", name, m.Params)
		}
	}
}

// A budget of money needs a price of whoever is paid: of a model behind a server, and of none that the study starts.
func TestBudgetBesideLaunched(t *testing.T) {
	for launch, problem := range map[string]string{
		"[backends.gpu.launch]\nengine = \"vllm\"\n": "", "urls = [\"http://gpu0:8000/v1\"]\n": "models[0].price_in",
	} {
		text := served(`shape = "gemma3-1b"`, "shape = \"gemma3-4b\"\nprice_in = 3\nprice_out = 15",
			"[backends.paid]\nkind = \"openai\"\nurls = [\"http://paid/v1\"]\n[backends.gpu]\nkind = \"openai\"\n"+launch+
				"[cost]\nmodel = \"tflops\"\n[collect]\nbudget = { cost = 2 }\n")
		at := strings.LastIndex(text, "backend = \"gpu\"")
		_, err := spec.LoadFS(files(text[:at]+"backend = \"paid\""+text[at+len("backend = \"gpu\""):]), "valid/s.toml",
			options())
		if problem == "" && err != nil || problem != "" && (err == nil || !strings.Contains(err.Error(), problem)) {
			t.Errorf("%s: error %v, want %q in it", launch, err, problem)
		}
	}
}

// Nobody bills the tokens of a student that the study runs itself; a master, a model of a pool and a model behind a URL
// need prices.
func TestStudentWithoutPrice(t *testing.T) {
	const launch, url = "[backends.gpu.launch]\nengine = \"vllm\"\n", "urls = [\"http://gpu0:8000/v1\"]\n"
	const pool = "[[pools]]\nmodels = [\"student\", \"master\"]\n"
	const price, none = "id = \"a/b\"\nprice_in = 3\nprice_out = 15", "id = \"a/b\""
	for _, test := range []struct{ name, student, master, rest, problem string }{
		{"a launched student", "", price, launch, ""},
		{"a student behind a URL", "", price, url, "models[0].price_in"},
		{"a launched master", "price_in = 1\nprice_out = 1", none, launch, "models[1].price_in"},
		{"a pool", "", price, launch + pool, "models[0].price_in"},
		{"a master for nothing", "", none + "\nprice_in = 0\nprice_out = 0", launch, "both prices are zero"},
	} {
		text := served(test.student, test.master, "[backends.gpu]\nkind = \"openai\"\n"+test.rest+
			"[cost]\nmodel = \"price\"\n")
		_, err := spec.LoadFS(files(text), "valid/s.toml", options())
		if test.problem == "" && err != nil || test.problem != "" && (err == nil ||
			!strings.Contains(err.Error(), test.problem)) {
			t.Errorf("%s: error %v, want %q in it", test.name, err, test.problem)
		}
	}
}
