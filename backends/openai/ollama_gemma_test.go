package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"infnet/backends/backendtest/servers"
	"infnet/backends/runtime/safetensors"
)

// Ollama knows the Gemma 3 models with images by their number of layers, and
// from it how positions are stretched and scores scaled: so these have as many
// as the 4B and the 27B model, and next to no width.
func TestOllamaGemmaSizes(t *testing.T) {
	folders := map[string]string{
		"gemma-4b": gemmaFolder(t, gemmaSize{layers: 34, hidden: 32, heads: 8, kv: 4, dim: 16, scalar: 16}),
		// hidden/heads, as 168 is 5376/32
		"gemma-27b": gemmaFolder(t, gemmaSize{layers: 62, hidden: 64, heads: 32, kv: 16, dim: 8, scalar: 2}),
	}
	root := servers.Ollama(t, folders)
	for name, folder := range folders {
		t.Run(name, func(t *testing.T) { agree(t, root, name, openLocal(t, folder)) })
	}
}

type gemmaSize struct{ layers, hidden, heads, kv, dim, scalar int }

// gemmaFolder writes a folder of random weights as the hub stores Gemma 3 with
// images, what looks at them left out.
func gemmaFolder(t *testing.T, s gemmaSize) string {
	t.Helper()
	const vocabulary = 1200
	feed := 2 * s.hidden
	rng := rand.New(rand.NewPCG(uint64(s.layers), 1))
	var tensors []safetensors.Tensor
	add := func(name string, scale float64, shape ...int) {
		n := 1
		for _, x := range shape {
			n *= x
		}
		data := make([]float32, n)
		for i := range data { // 11 bits, which F16 keeps
			data[i] = math.Float32frombits(math.Float32bits(float32(rng.NormFloat64()*scale)) &^ 0x1fff)
		}
		tensors = append(tensors, safetensors.Tensor{Name: "language_model.model." + name + ".weight", DType: safetensors.F32,
			Shape: shape, Data: data})
	}
	in := func(n int) float64 { return 1 / math.Sqrt(float64(n)) }
	add("embed_tokens", 0.15, vocabulary, s.hidden)
	add("norm", 0.1, s.hidden)
	for l := range s.layers {
		p := fmt.Sprintf("layers.%d.", l)
		for _, n := range []string{"input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
			"post_feedforward_layernorm"} {
			add(p+n, 0.1, s.hidden)
		}
		add(p+"self_attn.q_norm", 0.1, s.dim)
		add(p+"self_attn.k_norm", 0.1, s.dim)
		add(p+"self_attn.q_proj", in(s.hidden), s.heads*s.dim, s.hidden)
		add(p+"self_attn.k_proj", in(s.hidden), s.kv*s.dim, s.hidden)
		add(p+"self_attn.v_proj", in(s.hidden), s.kv*s.dim, s.hidden)
		add(p+"self_attn.o_proj", in(s.heads*s.dim), s.hidden, s.heads*s.dim)
		add(p+"mlp.gate_proj", in(s.hidden), feed, s.hidden)
		add(p+"mlp.up_proj", in(s.hidden), feed, s.hidden)
		add(p+"mlp.down_proj", in(feed), s.hidden, feed)
	}
	var weights bytes.Buffer
	if err := safetensors.Write(&weights, tensors); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{
		"architectures": []string{"Gemma3ForConditionalGeneration"}, "model_type": "gemma3", "eos_token_id": []int{1,
			8}, "mm_tokens_per_image": 4,
		"text_config": map[string]any{
			"hidden_size": s.hidden, "intermediate_size": feed, "model_type": "gemma3_text", "num_hidden_layers": s.layers,
			"num_attention_heads": s.heads, "num_key_value_heads": s.kv, "head_dim": s.dim,
			"query_pre_attn_scalar": s.scalar, "rope_scaling": map[string]any{"factor": 8.0,
				"rope_type": "linear"}, "sliding_window": 512, "vocab_size": vocabulary,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	files := map[string][]byte{
		"config.json": config, "model.safetensors": weights.Bytes(),
		"generation_config.json": []byte(`{"bos_token_id":2,"eos_token_id":[1,8]}`),
		"tokenizer_config.json":  []byte(`{"add_bos_token":true,"bos_token":"<bos>","eos_token":"<eos>"}`),
	}
	for name, from := range map[string]string{"tokenizer.json": "../runtime/bbpe/testdata/gemma.json",
		"tokenizer.model": "../runtime/spm/testdata/fallback.model"} {
		if files[name], err = os.ReadFile(from); err != nil {
			t.Fatal(err)
		}
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(to, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}
