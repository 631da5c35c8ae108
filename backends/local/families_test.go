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
	folder := readFolder(t, "llama3")
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
		{"unknown rope", set("llama3", m{"rope_scaling": m{"rope_type": "longrope", "factor": 2}}),
			`rope_scaling: type "longrope" is not supported: want default, linear, llama3 or yarn`},
		{"rope without length", set("llama3", m{"rope_scaling": m{"rope_type": "llama3", "factor": 8}}),
			"original_max_position_embeddings is missing"},
		{"rope without range", set("llama3",
			m{"rope_scaling": m{"rope_type": "llama3", "factor": 8, "original_max_position_embeddings": 64}}),
			"low_freq_factor is missing"},
		{"rope with empty range", set("llama3",
			m{"rope_scaling": m{"rope_type": "llama3", "factor": 8, "original_max_position_embeddings": 64, "low_freq_factor": 4,
				"high_freq_factor": 4}}), "high_freq_factor = 4: want more than 4"},
		{"yarn without length", set("qwen3-long", m{"rope_scaling": m{"rope_type": "yarn", "factor": 4}}),
			"original_max_position_embeddings is missing"},
		{"yarn, no turns", set("qwen3-long",
			m{"rope_scaling": m{"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 40, "beta_fast": 0}}),
			"beta_fast = 0: want a positive number"},
		{"part of a head", set("llama3", m{"rope_scaling": m{"rope_type": "default", "partial_rotary_factor": 0.5}}),
			"partial_rotary_factor = 0.5 is not supported"},
		{"ropes by layer", set("llama3", m{"rope_scaling": nil, "rope_parameters": m{"full_attention": m{}}}),
			"want one set for all layers of a model of type llama"},
		{"growing queries elsewhere", set("llama3",
			m{"rope_scaling": m{"rope_type": "default", "llama_4_scaling_beta": 0.1, "original_max_position_embeddings": 64}}),
			"llama_4_scaling_beta is not supported"},
		{"growing queries missing", text("ministral3", m{"rope_parameters": m{"rope_theta": 1e6, "rope_type": "default"}}),
			"llama_4_scaling_beta belongs to ministral3"},
		{"other text model", text("ministral3", m{"model_type": "mistral4"}),
			`text_config: model_type "mistral4" in a model of type mistral3: want ministral3 or mistral`},
		{"window of nothing", set("mistral", m{"sliding_window": 0}), "sliding_window = 0: want a positive number"},
		{"window on some layers", set("mistral",
			m{"layer_types": []string{"full_attention", "sliding_attention", "sliding_attention"}}),
			`layer_types[0] = "full_attention" contradicts sliding_window`},
		{"heads of no width", set("llama2", m{"num_attention_heads": 5, "num_key_value_heads": 5}),
			"hidden_size = 36 is not a multiple of num_attention_heads = 5"},
		{"vision of another kind", set("qwen3", m{"model_type": "llama"}),
			`tensor "model.layers.0.self_attn.k_norm.weight" has no place in a Llama model`},
		{"tokenizer of another kind", with(folders["qwen3"], "tokenizer.json", `{"model":{"type":"Unigram"}}`),
			`tokenizer.json: tokenizer: model type "Unigram" is not supported`},
		{"tokenizer that ends texts", with(folders["qwen3"], "tokenizer.json",
			strings.Replace(string(folders["qwen3"]["tokenizer.json"].Data), `"post_processor":{"type":"ByteLevel"`,
				`"post_processor":{"type":"RobertaProcessing","cls":["!",0],"sep":["!",0]`, 1)),
			"its template puts tokens after the text"},
		{"tokenizer too large", with(folders["llama2"], "tokenizer.json",
			string(folders["gemma3-4b"]["tokenizer.json"].Data)),
			"tokenizer.json has 1200 pieces, but vocab_size in config.json is 605"},
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

// Newer exporters write rope_parameters for rope_theta and rope_scaling, and
// name every layer; the model is the same.
func TestNewerConfigs(t *testing.T) {
	r := backends.Request{Mode: backends.Raw, Prompt: strings.Repeat("The plot is thin. ", 8), MaxTokens: 3,
		TopLogprobs: 3}
	for _, family := range []string{"qwen3", "qwen3-long", "llama3", "llama2", "mistral"} {
		folder := readFolder(t, family)
		var c map[string]any
		if err := json.Unmarshal(folder["config.json"].Data, &c); err != nil {
			t.Fatal(err)
		}
		rope := map[string]any{"rope_type": "default"}
		if old, ok := c["rope_scaling"].(map[string]any); ok {
			rope = old
		}
		if rope["rope_theta"] = c["rope_theta"]; rope["rope_theta"] == nil {
			rope["rope_theta"] = 10000.0
		}
		kind := map[bool]string{true: slidingLayer, false: globalLayer}
		var kinds []string
		for l := range int(c["num_hidden_layers"].(float64)) {
			kinds = append(kinds, kind[family == "mistral" || family == "qwen3-long" && l >= 1])
		}
		newer, err := openFS(edit(t, folder, map[string]any{"rope_scaling": nil, "rope_theta": nil, "rope_parameters": rope,
			"layer_types": kinds, "max_window_layers": nil}))
		if err != nil {
			t.Errorf("%s: %v", family, err)
			continue
		}
		want := ask(t, load(t, folderOf(family), 1), r)[0]
		if why := backendtest.Differ(want, ask(t, newer, r)[0]); why != "" {
			t.Errorf("%s: %s", family, why)
		}
	}
}
