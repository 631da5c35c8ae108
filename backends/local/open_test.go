package local

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/runtime/number"
	"infnet/backends/runtime/safetensors"
)

var smallest = dims{8, 2, 2, 1, 4, 8, 1200, 64, 8, 2}

// edit returns the folder with keys of its config.json set; nil deletes.
func edit(t *testing.T, folder fstest.MapFS, keys map[string]any) fstest.MapFS {
	t.Helper()
	var c map[string]any
	if err := json.Unmarshal(folder["config.json"].Data, &c); err != nil {
		t.Fatal(err)
	}
	for k, v := range keys {
		if c[k] = v; v == nil {
			delete(c, k)
		}
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	out := maps.Clone(folder)
	out["config.json"] = &fstest.MapFile{Data: b}
	return out
}

func without(folder fstest.MapFS, name string) fstest.MapFS {
	out := maps.Clone(folder)
	delete(out, name)
	return out
}

func with(folder fstest.MapFS, name, text string) fstest.MapFS {
	out := maps.Clone(folder)
	out[name] = &fstest.MapFile{Data: []byte(text)}
	return out
}

func openFS(folder fstest.MapFS) (*Model, error) {
	return OpenFS(folder, backends.Config{Model: backends.ModelID{ID: "m"}, Settings: &backends.FolderConfig{}})
}

func TestRefusedFolders(t *testing.T) {
	good := randomFolder(t, smallest)
	set := func(k string, v any) fstest.MapFS { return edit(t, good, map[string]any{k: v}) }
	only := func(name string, change func(safetensors.Tensor) []safetensors.Tensor) fstest.MapFS {
		return backendtest.Changed(t, good, func(x safetensors.Tensor) []safetensors.Tensor {
			if x.Name == name {
				return change(x)
			}
			return []safetensors.Tensor{x}
		})
	}
	const q1 = "model.layers.1.self_attn.q_proj.weight"
	for _, c := range []struct {
		name   string
		folder fstest.MapFS
		want   string
	}{
		{"no config", without(good, "config.json"), "open config.json"},
		{"no tokenizer", without(good, "tokenizer.model"),
			"no tokenizer: neither tokenizer.model nor tokenizer.json is there"},
		{"bad tokenizer", with(good, "tokenizer.model", "x"), "tokenizer.model: sentencepiece model: corrupt file"},
		{"no weights", without(good, "model.safetensors"), "no weights: neither model.safetensors nor"},
		{"corrupt weights", with(good, "model.safetensors", "garbage?garbage"), "model.safetensors: corrupt header"},
		{"other family", set("model_type", "gpt2"),
			`model_type "gpt2" is not supported: want gemma3_text, `},
		{"with images", set("model_type", "gemma3"), "text_config: is missing from a model of type gemma3"},
		{"with images, Mistral", set("model_type", "mistral3"), "text_config: is missing from a model of type mistral3"},
		{"another's text model", edit(t, good,
			map[string]any{"model_type": "gemma3", "text_config": map[string]any{"model_type": "qwen3"}}),
			`text_config: model_type "qwen3" in a model of type gemma3: want gemma3_text`},
		{"text model without size", edit(t, good, map[string]any{"model_type": "gemma3",
			"text_config": map[string]any{"model_type": "gemma3_text"}}), "text_config: hidden_size is missing"},
		{"nested twice", edit(t, good,
			map[string]any{"model_type": "gemma3", "text_config": map[string]any{"text_config": map[string]any{}}}),
			"text_config: has a text_config of its own"},
		{"mixture of experts", set("num_experts", 8),
			"num_experts is not supported: serve this model with an engine"},
		{"base of 1", set("rope_theta", 1), "rope_theta = 1: want more than 1"},
		{"one rope for all", set("rope_parameters", map[string]any{"rope_type": "default", "rope_theta": 1e6}),
			"rope_parameters: want an entry each for full_attention and sliding_attention"},
		{"missing key", set("hidden_size", nil), "config.json: hidden_size is missing"},
		{"too many layers", set("num_hidden_layers", 5000), "num_hidden_layers = 5000: want at most 4096"},
		{"heads", set("num_attention_heads", 3), "has shape [8 8]: want [12 8]"},
		{"heads not divisible", edit(t, good, map[string]any{"num_attention_heads": 3, "num_key_value_heads": 2}),
			"num_attention_heads = 3 is not a multiple of num_key_value_heads = 2"},
		{"odd heads", set("head_dim", 5), "head_dim = 5 is odd"},
		{"activation", set("hidden_activation", "silu"), `hidden_activation must be gelu_pytorch_tanh, not "silu"`},
		{"no activation", set("hidden_activation", nil), "hidden_activation must be gelu_pytorch_tanh, not missing"},
		{"bias", set("attention_bias", true), "attention_bias is not supported"},
		{"bidirectional", set("use_bidirectional_attention", true), "use_bidirectional_attention is not supported"},
		{"quantised", set("quantization_config", map[string]any{"bits": 4}), "quantization_config is not supported"},
		{"yarn", set("rope_scaling", map[string]any{"rope_type": "yarn", "factor": 8}),
			`rope_scaling: type "yarn" is not supported: want default or linear`},
		{"bad epsilon", set("rms_norm_eps", 0), "rms_norm_eps = 0: want a positive number"},
		{"no pattern", set("sliding_window_pattern", nil), "sliding_window_pattern is missing"},
		{"layer types, length", set("layer_types", []string{"full_attention"}), "layer_types has 1 entries for 2 layers"},
		{"layer types, name", set("layer_types", []string{"full_attention", "mamba"}),
			`layer_types[1] = "mamba": want full_attention or sliding_attention`},
		{"local layers, no window", set("sliding_window", nil), "sliding_window is missing"},
		{"small vocabulary", set("vocab_size", 1000),
			"tokenizer.model has 1200 pieces, but vocab_size in config.json is 1000"},
		{"end token", set("eos_token_id", 5000), "special token id 5000 is outside the vocabulary of 1200"},
		{"end tokens", set("eos_token_id", "x"), `want a token id or a list of them, not "x"`},
		{"no beginning", with(edit(t, good, map[string]any{"bos_token_id": nil}), "tokenizer_config.json",
			`{"add_bos_token":true}`), "add_bos_token is set, but neither"},
		{"missing tensor", only(q1, func(safetensors.Tensor) []safetensors.Tensor { return nil }),
			`tensor "` + q1 + `" is missing`},
		{"wrong shape", only(q1, func(x safetensors.Tensor) []safetensors.Tensor {
			x.Shape, x.Data = []int{8, 9}, make([]float32, 72)
			return []safetensors.Tensor{x}
		}), `model.safetensors: tensor "` + q1 + `" has shape [8 9]: want [8 8], as config.json says`},
		{"layer too many", set("num_hidden_layers", 3), `tensor "model.layers.2.input_layernorm.weight" is missing`},
		{"layer too few", set("num_hidden_layers", 1),
			`tensor "model.layers.1.input_layernorm.weight" has no place in a Gemma 3 text model of 1 layers`},
		{"untied without a head", set("tie_word_embeddings", false), `tensor "lm_head.weight" is missing`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := openFS(c.folder); err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), `model "m": `) {
				t.Errorf("error %v, want %q of model \"m\"", err, c.want)
			}
		})
	}
	if _, err := openFS(good); err != nil {
		t.Errorf("the base of these cases is refused: %v", err)
	}
	if _, err := OpenFS(os.DirFS("testdata/none"), backends.Config{Settings: &backends.FolderConfig{}}); err == nil ||
		!strings.Contains(err.Error(), "no such file") {
		t.Errorf("no folder: error %v", err)
	}
	if _, err := OpenFS(good, backends.Config{}); err == nil {
		t.Error("no settings: no error")
	}
}

func TestShape(t *testing.T) {
	s := openRandom(t, masterDims, 1).Shape()
	// by hand: embeddings 4096·192; per layer 2·192·192 (q, o) + 2·64·192 (k, v) + 3·432·192 + 4·192 +
	// 2·32; final norm 192
	params := float64(4096*192+6*(2*192*192+2*64*192+3*432*192+4*192+2*32)+192) / 1e9
	want := backends.Shape{Hidden: 192, Layers: 6, Heads: 6, HeadDim: 32, KVHeads: 2, FeedForward: 432, Vocabulary: 4096,
		Window: 64, GlobalEvery: 3, Gated: true, Params: params, Context: 512}
	if s != want {
		t.Errorf("shape %+v, want %+v", s, want)
	}
	if n, err := openRandom(t, smallest, 1).CountTokens(""); n != 1 || err != nil {
		t.Errorf("an empty prompt has %d tokens (%v), want 1: <bos>", n, err)
	}
}

func TestRevision(t *testing.T) {
	folder, jsonOnly := randomFolder(t, smallest), readFolder(t, "qwen3")
	for _, c := range []struct {
		name         string
		base, folder fstest.MapFS
		same         bool
	}{
		{"again", folder, folder, true},
		{"a readme", folder, with(folder, "README.md", "x"), true},
		{"another config", folder, edit(t, folder, map[string]any{"rms_norm_eps": 1e-5}), false},
		{"another tokenizer", folder, with(folder, "tokenizer.model", "x"), false},
		{"a shard more", folder, with(folder, "z.safetensors", "x"), false},
		{"other end tokens", folder, with(folder, "generation_config.json", `{"eos_token_id":5}`), false},
		{"another tokenizer.json", jsonOnly, with(jsonOnly, "tokenizer.json", "x"), false},
		{"another template", jsonOnly, with(jsonOnly, "chat_template.jinja", "x"), false},
	} {
		first, err := Revision(c.base)
		if err != nil || len(first) != 64 {
			t.Fatalf("revision %q, %v", first, err)
		}
		got, err := Revision(c.folder)
		if err != nil || (got == first) != c.same {
			t.Errorf("%s: %s, %v; before %s", c.name, got, err, first)
		}
	}
	for name, folder := range map[string]fstest.MapFS{"config.json": folder, "tokenizer.model": folder,
		"model.safetensors": folder, "tokenizer.json": jsonOnly} {
		if _, err := Revision(without(folder, name)); err == nil {
			t.Errorf("without %s: no error", name)
		}
	}
}

// Weights that are not numbers fail the requests, not the program.
func TestNotANumber(t *testing.T) {
	m := openRandom(t, smallest, 1)
	nan := number.BFloat16.Narrow(float32(math.NaN()))
	m.net.Head.SetRow(0, number.Slice{Format: number.BFloat16, Halves: slices.Repeat([]uint16{nan}, m.net.Shape.Hidden)})
	for _, r := range []backends.Request{{Mode: backends.Raw, Prompt: "a", Labels: []string{" good", " bad"}},
		{Mode: backends.Raw, Prompt: "a", MaxTokens: 3}} {
		if a := ask(t, m, r)[0]; a.Failure == nil || a.Failure.Cause != backends.Internal {
			t.Errorf("answer %+v, want an internal failure", a)
		}
	}
}
