package local

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"
	"testing/fstest"

	"infnet/backends"
	"infnet/backends/runtime/safetensors"
)

// dims is the shape of a random model.
type dims struct{ d, layers, heads, kv, dim, f, vocab, context, window, pattern int }

// The shapes the quickstart's pair is trained in.
var (
	studentDims = dims{64, 3, 2, 1, 32, 192, 4096, 512, 64, 3}
	masterDims  = dims{192, 6, 6, 2, 32, 432, 4096, 512, 64, 3}
)

// randomFolder returns a folder of random bfloat16 weights with a tokenizer.
func randomFolder(t testing.TB, s dims) fstest.MapFS {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(s.d), 1))
	var tensors []safetensors.Tensor
	add := func(name string, scale float64, shape ...int) {
		n := 1
		for _, x := range shape {
			n *= x
		}
		data := make([]float32, n)
		for i := range data {
			data[i] = float32(rng.NormFloat64() * scale)
		}
		tensors = append(tensors, safetensors.Tensor{Name: name + ".weight", DType: safetensors.BF16, Shape: shape,
			Data: data})
	}
	add("model.embed_tokens", 0.1, s.vocab, s.d)
	for l := range s.layers {
		p := "model.layers." + string(rune('0'+l)) + "."
		for _, n := range []string{"input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
			"post_feedforward_layernorm"} {
			add(p+n, 0.1, s.d)
		}
		add(p+"self_attn.q_norm", 0.1, s.dim)
		add(p+"self_attn.k_norm", 0.1, s.dim)
		add(p+"self_attn.q_proj", 0.1, s.heads*s.dim, s.d)
		add(p+"self_attn.k_proj", 0.1, s.kv*s.dim, s.d)
		add(p+"self_attn.v_proj", 0.1, s.kv*s.dim, s.d)
		add(p+"self_attn.o_proj", 0.1, s.d, s.heads*s.dim)
		add(p+"mlp.gate_proj", 0.1, s.f, s.d)
		add(p+"mlp.up_proj", 0.1, s.f, s.d)
		add(p+"mlp.down_proj", 0.1, s.d, s.f)
	}
	add("model.norm", 0.1, s.d)
	var weights bytes.Buffer
	if err := safetensors.Write(&weights, tensors); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{
		"model_type": "gemma3_text", "hidden_activation": "gelu_pytorch_tanh", "rms_norm_eps": 1e-6, "bos_token_id": 2,
		"eos_token_id": 1, "rope_theta": 1e6, "rope_local_base_freq": 1e4,
		"hidden_size": s.d, "num_hidden_layers": s.layers, "num_attention_heads": s.heads, "num_key_value_heads": s.kv,
		"head_dim": s.dim, "intermediate_size": s.f, "vocab_size": s.vocab,
		"query_pre_attn_scalar": s.dim, "max_position_embeddings": s.context, "sliding_window": s.window,
		"sliding_window_pattern": s.pattern, "tie_word_embeddings": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := os.ReadFile("../runtime/spm/testdata/fallback.model")
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{"config.json": {Data: config}, "model.safetensors": {Data: weights.Bytes()},
		"tokenizer.model": {Data: pieces}}
}

func openRandom(t testing.TB, s dims, threads int) *Model {
	t.Helper()
	m, err := OpenFS(randomFolder(t, s),
		backends.Config{Model: backends.ModelID{ID: "random"}, Settings: &backends.FolderConfig{Threads: threads}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
