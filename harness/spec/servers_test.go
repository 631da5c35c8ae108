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

// access is how servers are called, with the defaults that the reference prints.
func access(served string, urls ...string) backends.Access {
	return backends.Access{URLs: urls, Served: served, Timeout: 5 * time.Minute, Concurrency: 16}
}

// Every key of a server's table arrives, and its defaults are those that the reference prints.
func TestModelsBehindServers(t *testing.T) {
	shapes := func(more string) string {
		return served("shape = \"gemma3-1b\"\nparams = 0.9", `shape = "qwen3-4b"`, more)
	}
	const tokens = "[cost]\nmodel = \"tokens\"\n[backends.gpu]\n"
	const latency = "[cost]\nmodel = \"latency\"\n[backends.gpu]\nkind = \"huggingface\"\ntask = " +
		"\"zero-shot-classification\"\nurls_of = { student = [\"https://a.example/small/\"], master = " +
		"[\"https://a.example/large\"] }\n"
	plain := backends.OpenAIOptions{Labels: backends.LabelsAuto, TopLogprobs: 20, MaxTokensField: "max_tokens"}
	keyed := access("small-awq", "http://gpu0:8000/v1", "https://gpu1/api")
	keyed.APIKeyEnv, keyed.Timeout, keyed.Concurrency = "GPU_KEY", 7*time.Second, 64
	study := access("acme/small", "http://gpu0:8000/v1")
	study.Timeout, study.Concurrency = 7*time.Second, 3 // of [collect]
	provider := access("master")
	provider.APIKeyEnv = "ANTHROPIC_API_KEY"
	changed := backends.HostedConfig{Provider: backends.Anthropic, Access: provider,
		Extra: map[string]any{"top_k": int64(1), "temperature": nil}}
	const first, simulated = "revision = \"c0ffee\"\nbackend = \"gpu\"", "backend = \"simulated\"\nsimulated = { alpha " +
		"= 1, beta = 1, intercept = 0 }" // a provider's models have no confidence
	endpoint := access("", "https://a.example/small")
	endpoint.APIKeyEnv = "HF_KEY"
	zero := backends.HuggingFaceConfig{Access: access("", "https://a.example/large"),
		HuggingFaceOptions: backends.HuggingFaceOptions{Task: backends.ZeroShot}}
	for _, tt := range []struct {
		name, text string
		model      int
		want       any
		revision   string
		mode       backends.Mode
	}{
		{"the defaults", shapes(gpu), 0, &backends.OpenAIConfig{Access: access("acme/small", "http://gpu0:8000/v1"),
			OpenAIOptions: plain}, "c0ffee", backends.Raw},
		{"without an id", shapes(gpu), 1, &backends.OpenAIConfig{Access: access("master", "http://gpu0:8000/v1"),
			OpenAIOptions: plain}, "1", backends.Raw},
		{"a chat, and the study's limits", strings.Replace(shapes("[collect]\nconcurrency = 3\ntimeout = \"7s\"\n"+gpu),
			"shape", "mode = \"chat\"\nshape", 1), 0, &backends.OpenAIConfig{Access: study, OpenAIOptions: plain}, "c0ffee",
			backends.Chat},
		{"every key", strings.Replace(shapes(`[collect]
concurrency = 3
timeout = "7s"
[backends.gpu]
kind = "openai"
urls = ["http://gpu0:8000/v1", "https://gpu1/api"]
urls_of = { master = [" http://gpu2:8000/v1/ "] }
api_key_env = "GPU_KEY"
headers_env = { X-Team = "TEAM" }
labels = "token-ids"
top_logprobs = 5
max_tokens_field = "max_completion_tokens"
extra = { chat_template_kwargs = { enable_thinking = false }, top_k = 1 }
drop = ["seed"]
concurrency = 64
`), "shape", "served = \"small-awq\"\nshape", 1), 0, &backends.OpenAIConfig{Access: keyed,
			OpenAIOptions: backends.OpenAIOptions{Labels: backends.LabelsTokenIDs, TopLogprobs: 5,
				MaxTokensField: "max_completion_tokens"},
			Extra: map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": false}, "top_k": int64(1),
				"seed": nil}}, "", backends.Raw},
		{"a provider", strings.Replace(served("", "price_in = 3\nprice_out = 15\nsystem = \"Answer in one word.\"",
			tokens+"kind = \"hosted\"\nprovider = \"anthropic\"\napi_key_env = \"ANTHROPIC_API_KEY\"\n"),
			first, simulated, 1), 1, &backends.HostedConfig{Provider: backends.Anthropic, Access: provider}, "1+anthropic",
			backends.Chat},
		{"a provider, a field more and one less", strings.Replace(served("", "", tokens+"kind = \"hosted\"\nprovider = "+
			"\"anthropic\"\napi_key_env = \"ANTHROPIC_API_KEY\"\nextra = { top_k = 1 }\ndrop = [\"temperature\"]\n"), first,
			simulated, 1), 1, &changed, changed.Revision("1"), backends.Chat},
		{"an endpoint", served("", "", latency), 1, &zero, zero.Revision("1"), backends.Raw},
		{"every key of an endpoint", served("", "", latency+"text = \"Review: \"\nend = "+
			"\"\\nSentiment:\"\napi_key_env = \"HF_KEY\"\n"), 0, &backends.HuggingFaceConfig{Access: endpoint,
			HuggingFaceOptions: backends.HuggingFaceOptions{Task: backends.ZeroShot, Text: "Review: ",
				End: "\nSentiment:"}}, "", backends.Raw},
	} {
		s := loaded(t, tt.text)
		m := s.Models[tt.model]
		if diff := cmp.Diff(tt.want, m.Config.Settings); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if r := m.Config.Model.Revision; tt.revision != "" && r != tt.revision || m.Mode != tt.mode || len(s.Warnings) > 0 {
			t.Errorf("%s: revision %q, mode %s, warnings %v", tt.name, r, m.Mode, s.Warnings)
		}
		if tt.name == "every key" && (m.HeadersEnv["X-Team"] != "TEAM" || m.Params != 0.9 || m.Shape.Params != 0.9 ||
			m.Shape.Hidden != 1152 || s.Models[1].Config.Settings.(*backends.OpenAIConfig).URLs[0] != "http://gpu2:8000/v1") {
			t.Errorf("headers %v, params %v, shape %+v, the master %+v", m.HeadersEnv, m.Params, m.Shape, s.Models[1].Config)
		}
	}
}

// Settings that change answers change the revision, and nothing else does.
func TestServerRevisions(t *testing.T) {
	models := func(more string) (string, string) {
		s := loaded(t, served(`shape = "gemma3-1b"`, `shape = "gemma3-4b"`, gpu+more))
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
	s := loaded(t, text)
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
		s := loaded(t, served(fmt.Sprintf("shape = %q", name), `shape = "gemma3-4b"`, gpu))
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

// Nobody bills the tokens of a student that the study runs itself; a master, a model of a pool and a model behind a URL
// need prices, and so does a budget of money of whoever is paid.
func TestWhoNeedsAPrice(t *testing.T) {
	const launch, url = "[backends.gpu.launch]\nengine = \"vllm\"\n", "urls = [\"http://gpu0:8000/v1\"]\n"
	const pool = "[[pools]]\nmodels = [\"student\", \"master\"]\n"
	const price, none = "id = \"a/b\"\nprice_in = 3\nprice_out = 15", "id = \"a/b\""
	const prices, budget = "[cost]\nmodel = \"price\"\n", "[cost]\nmodel = \"tokens\"\n[collect]\nbudget = { cost = 2 }\n"
	for _, test := range []struct{ name, student, master, rest, problem string }{
		{"a launched student", "", price, launch + prices, ""},
		{"a student behind a URL", "", price, url + prices, "models[0].price_in"},
		{"a launched master", "price_in = 1\nprice_out = 1", none, launch + prices, "models[1].price_in"},
		{"a pool", "", price, launch + pool + prices, "models[0].price_in"},
		{"a master for nothing", "", none + "\nprice_in = 0\nprice_out = 0", launch + prices, "both prices are zero"},
		{"a budget beside launched models", "", none, launch + budget, ""},
		{"a budget beside a URL", "", price, url + budget, "models[0].price_in"},
	} {
		_, err := spec.LoadFS(files(served(test.student, test.master, "[backends.gpu]\nkind = \"openai\"\n"+test.rest)),
			"valid/s.toml", options())
		if test.problem == "" && err != nil || test.problem != "" && (err == nil ||
			!strings.Contains(err.Error(), test.problem)) {
			t.Errorf("%s: error %v, want %q in it", test.name, err, test.problem)
		}
	}
}
