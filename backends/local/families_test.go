package local

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/runtime/safetensors"
)

// families are the folders of testdata/families: random weights in the layouts
// of published models (testdata/make_families.py names them).
var families = func() (names []string) {
	entries, err := os.ReadDir("testdata/families")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}()

func folderOf(family string) string { return "testdata/families/" + family }

// readFolder returns the folder of a family, in memory.
func readFolder(t *testing.T, family string) fstest.MapFS {
	t.Helper()
	return backendtest.Folder(t, os.DirFS(folderOf(family)))
}

// What a folder says without its weights is what the opened model says, and
// the parameters counted are the numbers in the files, those of what looks at
// images left out.
func TestFamiliesInspect(t *testing.T) {
	for folder := range folders() {
		facts, err := InspectFS(os.DirFS(folder))
		if err != nil {
			t.Fatal(err)
		}
		m := load(t, folder, 1)
		if facts.Shape() != m.Shape() {
			t.Errorf("%s: shape %+v without weights, %+v with", folder, facts.Shape(), m.Shape())
		}
		for _, labels := range [][]string{colours, {" good", " good cast"}, {""}} {
			a, b := facts.CheckLabels("the film :", labels), m.CheckLabels("the film :", labels)
			if (a == nil) != (b == nil) {
				t.Errorf("%s, %q: %v without weights, %v with", folder, labels, a, b)
			}
		}
		files, err := safetensors.Open(os.DirFS(folder))
		if err != nil {
			t.Fatal(err)
		}
		numbers := 0
		for _, name := range files.Names() {
			if !strings.HasPrefix(name, "vision_tower.") && !strings.HasPrefix(name, "multi_modal_projector.") {
				size := 1
				for _, n := range files.Shape(name) {
					size *= n
				}
				numbers += size
			}
		}
		if err := files.Close(); err != nil {
			t.Error(err)
		}
		if got := int(math.Round(facts.Shape().Params * 1e9)); got != numbers {
			t.Errorf("%s: %d parameters, the files hold %d numbers", folder, got, numbers)
		}
	}
}

// A stored head is the head where it differs from the embeddings, whatever
// config.json says, as for transformers 5; where it is the same, nothing
// changes.
func TestStoredHead(t *testing.T) {
	folder := readFolder(t, "qwen3")
	r := backends.Request{Mode: backends.Raw, Prompt: "the film is", Labels: []string{" positive", " negative"}}
	score := func(change float32) (float64, float64) {
		m, err := openFS(backendtest.Changed(t, folder, func(x safetensors.Tensor) []safetensors.Tensor {
			out := []safetensors.Tensor{x}
			if x.Name == "model.embed_tokens.weight" {
				x.Name, x.Data = "lm_head.weight", slices.Clone(x.Data)
				x.Data[len(x.Data)/2] += change
				for i := range x.Data {
					x.Data[i] *= 1 + change
				}
				out = append(out, x)
			}
			return out
		}))
		if err != nil {
			t.Fatal(err)
		}
		return ask(t, m, r)[0].Labels[1].Logprob, m.Shape().Params
	}
	tied, err := openFS(folder)
	if err != nil {
		t.Fatal(err)
	}
	want := ask(t, tied, r)[0].Labels[1].Logprob
	if got, params := score(0); got != want || params != tied.Shape().Params {
		t.Errorf("the same head: %v (%v billion parameters), want %v (%v)", got, params, want, tied.Shape().Params)
	}
	if got, params := score(0.5); math.Abs(got-want) < 1e-3 || params <= tied.Shape().Params {
		t.Errorf("another head: %v as with the tied one, %v billion parameters", got, params)
	}
}

func TestRefusedFamilies(t *testing.T) {
	folders := map[string]fstest.MapFS{}
	for _, f := range families {
		folders[f] = readFolder(t, f)
	}
	set := func(family string, keys map[string]any) fstest.MapFS { return edit(t, folders[family], keys) }
	text := func(family string, keys map[string]any) fstest.MapFS {
		var c map[string]any
		if err := json.Unmarshal(folders[family]["config.json"].Data, &c); err != nil {
			t.Fatal(err)
		}
		inner := c["text_config"].(map[string]any)
		for k, v := range keys {
			inner[k] = v
		}
		return set(family, map[string]any{"text_config": inner})
	}
	type m = map[string]any
	for _, c := range []struct {
		name   string
		folder fstest.MapFS
		want   string
	}{
		{"quantised, nested", set("ministral3", m{"quantization_config": m{"quant_method": "fp8"}}),
			"text_config: quantization_config is not supported"},
		{"yarn", set("qwen3", m{"rope_scaling": m{"rope_type": "yarn", "factor": 4}}),
			`rope_scaling: type "yarn" is not supported: want default`},
		{"windows", set("qwen3", m{"use_sliding_window": true}), "use_sliding_window is not supported"},
		{"yarn without length", text("ministral3", m{"rope_parameters": m{"rope_type": "yarn", "rope_theta": 1e6,
			"llama_4_scaling_beta": 0.1, "factor": 4}}), "original_max_position_embeddings is missing"},
		{"growing queries missing", text("ministral3", m{"rope_parameters": m{"rope_theta": 1e6, "rope_type": "default"}}),
			`type "default": want yarn, with llama_4_scaling_beta`},
		{"a window", text("ministral3", m{"sliding_window": 4}), "sliding_window is not supported"},
		{"other text model", text("ministral3", m{"model_type": "mistral4"}),
			`text_config: model_type "mistral4" in a model of type mistral3: want ministral3`},
		{"heads that do not divide", set("qwen3", m{"num_attention_heads": 5}), "is not a multiple of num_key_value_heads"},
		{"another family's tensors", set("qwen3", m{"model_type": "ministral3", "rope_parameters": m{"rope_type": "yarn",
			"llama_4_scaling_beta": 0.1, "factor": 4, "original_max_position_embeddings": 32, "beta_fast": 32, "beta_slow": 1,
			"mscale": 1, "mscale_all_dim": 1}}),
			`tensor "model.layers.0.self_attn.k_norm.weight" has no place in a Ministral 3 model`},
		{"tokenizer of another kind", with(folders["qwen3"], "tokenizer.json", `{"model":{"type":"Unigram"}}`),
			`tokenizer.json: tokenizer: model type "Unigram" is not supported`},
		{"tokenizer that ends texts", with(folders["qwen3"], "tokenizer.json",
			strings.Replace(string(folders["qwen3"]["tokenizer.json"].Data), `"post_processor":{"type":"ByteLevel"`,
				`"post_processor":{"type":"RobertaProcessing","cls":["!",0],"sep":["!",0]`, 1)),
			"its template puts tokens after the text"},
		{"tokenizer too large", with(folders["qwen3"], "tokenizer.model",
			string(folders["gemma3-4b"]["tokenizer.model"].Data)),
			"tokenizer.model has 1200 pieces, but vocab_size in config.json is 576"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := openFS(c.folder); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	for family, folder := range folders {
		if _, err := openFS(folder); err != nil {
			t.Errorf("%s, the base of these cases, is refused: %v", family, err)
		}
	}
}

// Newer exporters write rope_parameters for rope_theta and rope_scaling; the model is the same.
func TestNewerConfigs(t *testing.T) {
	r := backends.Request{Mode: backends.Raw, Prompt: strings.Repeat("The plot is thin. ", 8), MaxTokens: 3,
		TopLogprobs: 3}
	type m = map[string]any
	qwen, gemma := readFolder(t, "qwen3"), randomFolder(t, studentDims)
	for name, pair := range map[string][2]fstest.MapFS{
		"qwen3": {qwen, edit(t, qwen, m{"rope_theta": nil,
			"rope_parameters": m{"rope_type": "default", "rope_theta": 1e6}})},
		"gemma3": {gemma, edit(t, gemma, m{"rope_theta": nil, "rope_local_base_freq": nil, "sliding_window_pattern": nil,
			"layer_types": []string{slidingLayer, slidingLayer, globalLayer}, "rope_parameters": m{
				globalLayer:  m{"rope_type": "default", "rope_theta": 1e6},
				slidingLayer: m{"rope_type": "default", "rope_theta": 1e4}}})},
	} {
		older, err := openFS(pair[0])
		if err != nil {
			t.Fatal(name, err)
		}
		newer, err := openFS(pair[1])
		if err != nil {
			t.Fatal(name, err)
		}
		if why := backendtest.Differ(ask(t, older, r)[0], ask(t, newer, r)[0]); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
}
