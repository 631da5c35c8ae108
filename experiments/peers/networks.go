package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"infnet/backends"
	"infnet/backends/local"
	"infnet/experiments"
	"infnet/harness/finetune"
)

// Random weights take as long as trained ones.
var networks = []work{
	{
		name: "decode", title: "32 tokens of one sequence, Gemma 3 270M's shape, bfloat16 weights",
		peers: []string{"PyTorch bfloat16", "PyTorch float32"},
		data:  writeGemma,
		ours: func(ctx context.Context, at place) (task, error) {
			m, err := local.OpenFS(os.DirFS(at.folder), backends.Config{Model: backends.ModelID{ID: "gemma"},
				Settings: &backends.LocalConfig{Threads: 1}})
			if err != nil {
				return task{}, err
			}
			said := 0.0
			return task{func() error {
				a, err := m.Answer(ctx, []backends.Request{{Mode: backends.Raw, Prompt: "a", MaxTokens: 32}})
				if err == nil && a[0].Failure != nil {
					err = a[0].Failure
				}
				if err == nil {
					said = float64(len(a[0].Tokens))
				}
				return err
			}, func() float64 { return said }}, nil
		},
	},
	{
		name: "finetune", title: "4 training steps of 32 texts of 40 tokens, all-MiniLM-L6's shape, dropout 0.1",
		peers: []string{"PyTorch training"},
		data:  writeMiniLM,
		ours: func(_ context.Context, at place) (task, error) {
			l, err := finetune.Open(finetune.Options{Name: "minilm", Folder: os.DirFS(at.folder)})
			if err != nil {
				return task{}, err
			}
			step, err := l.Steps(1, 40)
			if err != nil {
				return task{}, err
			}
			loss := 0.0
			if loss, err = step(); err != nil { // compiles
				return task{}, err
			}
			return task{func() error {
				for range 4 {
					if loss, err = step(); err != nil {
						return err
					}
				}
				return nil
			}, func() float64 { return loss }}, nil
		},
	},
}

// tensor is a name and a shape.
type tensor struct {
	name  string
	shape []int
}

func writeGemma(folder string) error {
	const d, layers, heads, dim, inner, vocabulary = 640, 18, 4, 256, 2048, 262144
	list := []tensor{{"model.embed_tokens", []int{vocabulary, d}}, {"model.norm", []int{d}}}
	for l := range layers {
		p := fmt.Sprintf("model.layers.%d.", l)
		for _, n := range []string{"input", "post_attention", "pre_feedforward", "post_feedforward"} {
			list = append(list, tensor{p + n + "_layernorm", []int{d}})
		}
		list = append(list, tensor{p + "self_attn.q_norm", []int{dim}}, tensor{p + "self_attn.k_norm", []int{dim}},
			tensor{p + "self_attn.q_proj", []int{heads * dim, d}}, tensor{p + "self_attn.k_proj", []int{dim, d}},
			tensor{p + "self_attn.v_proj", []int{dim, d}}, tensor{p + "self_attn.o_proj", []int{d, heads * dim}},
			tensor{p + "mlp.gate_proj", []int{inner, d}}, tensor{p + "mlp.up_proj", []int{inner, d}},
			tensor{p + "mlp.down_proj", []int{d, inner}})
	}
	for i := range list {
		list[i].name += ".weight"
	}
	tokens, err := experiments.Files.ReadFile("models/tiny-student/tokenizer.model")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "tokenizer.model"), tokens, 0o666); err != nil {
		return err
	}
	return writeModel(folder, "BF16", list, map[string]any{
		"architectures": []string{"Gemma3ForCausalLM"}, "model_type": "gemma3_text", "hidden_activation": "gelu_pytorch_tanh",
		"rms_norm_eps": 1e-6, "bos_token_id": 2, "eos_token_id": 1, "rope_theta": 1e6, "rope_local_base_freq": 1e4,
		"hidden_size": d, "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": 1,
		"head_dim": dim, "intermediate_size": inner, "vocab_size": vocabulary, "query_pre_attn_scalar": dim,
		"max_position_embeddings": 32768, "sliding_window": 512, "sliding_window_pattern": 6, "tie_word_embeddings": true,
		"torch_dtype": "bfloat16",
	})
}

func writeMiniLM(folder string) error {
	const d, layers, inner, vocabulary = 384, 6, 1536, 30522
	list := []tensor{{"embeddings.word_embeddings.weight", []int{vocabulary, d}},
		{"embeddings.position_embeddings.weight", []int{512, d}},
		{"embeddings.token_type_embeddings.weight", []int{2, d}}}
	linear := func(name string, n, k int) {
		list = append(list, tensor{name + ".weight", []int{n, k}}, tensor{name + ".bias", []int{n}})
	}
	norm := func(name string) {
		list = append(list, tensor{name + ".weight", []int{d}}, tensor{name + ".bias", []int{d}})
	}
	norm("embeddings.LayerNorm")
	for l := range layers {
		p := fmt.Sprintf("encoder.layer.%d.", l)
		for _, n := range []string{"attention.self.query", "attention.self.key", "attention.self.value",
			"attention.output.dense"} {
			linear(p+n, d, d)
		}
		norm(p + "attention.output.LayerNorm")
		linear(p+"intermediate.dense", inner, d)
		linear(p+"output.dense", d, inner)
		norm(p + "output.LayerNorm")
	}
	words := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for i := len(words); i < vocabulary; i++ {
		words = append(words, fmt.Sprint("w", i))
	}
	if err := os.WriteFile(filepath.Join(folder, "vocab.txt"), []byte(strings.Join(words, "\n")+"\n"), 0o666); err != nil {
		return err
	}
	return writeModel(folder, "F32", list, map[string]any{
		"architectures": []string{"BertModel"}, "model_type": "bert", "hidden_act": "gelu", "hidden_size": d,
		"num_hidden_layers": layers, "num_attention_heads": 12, "intermediate_size": inner, "vocab_size": vocabulary,
		"max_position_embeddings": 512, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "hidden_dropout_prob": 0.1,
		"attention_probs_dropout_prob": 0.1,
	})
}

// writeModel writes config.json and model.safetensors with random numbers of about 2⁻⁵.
func writeModel(folder, dtype string, list []tensor, config map[string]any) error {
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "config.json"), text, 0o666); err != nil {
		return err
	}
	width := map[string]int{"BF16": 2, "F32": 4}[dtype]
	header, at := map[string]any{"__metadata__": map[string]string{"format": "pt"}}, 0
	for _, t := range list {
		size := width
		for _, n := range t.shape {
			size *= n
		}
		header[t.name] = map[string]any{"dtype": dtype, "shape": t.shape, "data_offsets": [2]int{at, at + size}}
		at += size
	}
	if text, err = json.Marshal(header); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(11, uint64(at)))
	return write(filepath.Join(folder, "model.safetensors"), func(w *bufio.Writer) error {
		out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
		if _, err := w.Write(append(out, text...)); err != nil {
			return err
		}
		for range at / width {
			// The upper half of a float32 of either sign from 2⁻⁶ to 2⁻⁵.
			h := 0x3c80 | uint16(rng.Uint32())&0x807f
			if width == 4 {
				out = append(out[:0], 0, 0)
			} else {
				out = out[:0]
			}
			if _, err := w.Write(binary.LittleEndian.AppendUint16(out, h)); err != nil {
				return err
			}
		}
		return nil
	})
}
