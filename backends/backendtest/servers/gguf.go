package servers

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/backends/runtime/safetensors"
)

// Qwen3File writes a Qwen 3 folder with a tokenizer.json as one GGUF file
// (version 3), for servers whose converters do not take the folder. All numbers
// are F32.
func Qwen3File(t *testing.T, folder string) string {
	t.Helper()
	w := &gguf{}
	if err := w.qwen3(folder); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.gguf")
	if err := os.WriteFile(path, w.file(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// gguf is a file in the making: keys and values, descriptions of tensors, data.
type gguf struct {
	values, infos, data []byte
	keys, tensors       uint64
}

// The format's numbers for types of values.
const (
	ggufUint32 = 4
	ggufInt32  = 5
	ggufFloat  = 6
	ggufBool   = 7
	ggufString = 8
	ggufArray  = 9
)

var little = binary.LittleEndian

func appendString(b []byte, s string) []byte {
	return append(little.AppendUint64(b, uint64(len(s))), s...)
}

// set adds a key: a number, a truth, a string or a list.
func (w *gguf) set(key string, value any) {
	b := appendString(w.values, key)
	switch v := value.(type) {
	case int:
		b = little.AppendUint32(little.AppendUint32(b, ggufUint32), uint32(v))
	case float64:
		b = little.AppendUint32(little.AppendUint32(b, ggufFloat), math.Float32bits(float32(v)))
	case bool:
		b = append(little.AppendUint32(b, ggufBool), map[bool]byte{true: 1}[v])
	case string:
		b = appendString(little.AppendUint32(b, ggufString), v)
	case []string:
		b = little.AppendUint64(little.AppendUint32(little.AppendUint32(b, ggufArray), ggufString), uint64(len(v)))
		for _, s := range v {
			b = appendString(b, s)
		}
	case []int32:
		b = little.AppendUint64(little.AppendUint32(little.AppendUint32(b, ggufArray), ggufInt32), uint64(len(v)))
		for _, n := range v {
			b = little.AppendUint32(b, uint32(n))
		}
	}
	w.values, w.keys = b, w.keys+1
}

// tensor adds one; the format counts dimensions from the inside out.
func (w *gguf) tensor(name string, shape []int, data []float32) {
	w.infos = little.AppendUint32(appendString(w.infos, name), uint32(len(shape)))
	for _, n := range slices.Backward(shape) {
		w.infos = little.AppendUint64(w.infos, uint64(n))
	}
	const f32 = 0
	w.data = align(w.data)
	w.infos = little.AppendUint64(little.AppendUint32(w.infos, f32), uint64(len(w.data)))
	for _, v := range data {
		w.data = little.AppendUint32(w.data, math.Float32bits(v))
	}
	w.tensors++
}

func align(b []byte) []byte { return append(b, make([]byte, (32-len(b)%32)%32)...) }

func (w *gguf) file() []byte {
	b := little.AppendUint32([]byte("GGUF"), 3)
	b = little.AppendUint64(little.AppendUint64(b, w.tensors), w.keys)
	return append(align(append(append(b, w.values...), w.infos...)), w.data...)
}

// qwen3 fills in what the folder says.
func (w *gguf) qwen3(folder string) error {
	var c map[string]any
	if err := readJSON(folder, "config.json", &c); err != nil {
		return err
	}
	w.set("general.architecture", "qwen3")
	for _, k := range [][2]string{
		{"block_count", "num_hidden_layers"}, {"context_length", "max_position_embeddings"}, {"embedding_length",
			"hidden_size"}, {"feed_forward_length", "intermediate_size"},
		{"attention.head_count", "num_attention_heads"}, {"attention.head_count_kv",
			"num_key_value_heads"}, {"attention.key_length", "head_dim"}, {"attention.value_length", "head_dim"},
	} {
		w.set("qwen3."+k[0], int(c[k[1]].(float64)))
	}
	w.set("qwen3.rope.freq_base", c["rope_theta"].(float64))
	w.set("qwen3.attention.layer_norm_rms_epsilon", c["rms_norm_eps"].(float64))
	if err := w.vocabulary(folder, int(c["vocab_size"].(float64)), int(c["eos_token_id"].(float64))); err != nil {
		return err
	}
	files, err := safetensors.Open(os.DirFS(folder))
	if err != nil {
		return err
	}
	defer files.Close()
	names := strings.NewReplacer("model.embed_tokens", "token_embd", "model.norm", "output_norm", "model.layers.", "blk.",
		"input_layernorm", "attn_norm", "post_attention_layernorm", "ffn_norm",
		"self_attn.q_proj", "attn_q", "self_attn.k_proj", "attn_k", "self_attn.v_proj", "attn_v", "self_attn.o_proj",
		"attn_output", "self_attn.q_norm", "attn_q_norm", "self_attn.k_norm", "attn_k_norm",
		"mlp.gate_proj", "ffn_gate", "mlp.up_proj", "ffn_up", "mlp.down_proj", "ffn_down", "lm_head", "output")
	for _, name := range files.Names() {
		shape := files.Shape(name)
		data, err := files.Read(name, shape...)
		if err != nil {
			return err
		}
		w.tensor(names.Replace(name), shape, data)
	}
	return nil
}

// vocabulary fills in tokenizer.json, padded to the size of the embeddings.
func (w *gguf) vocabulary(folder string, size, eos int) error {
	var t struct {
		Added []struct {
			ID      int
			Content string
			Special bool
		} `json:"added_tokens"`
		Model struct {
			Vocab  map[string]int
			Merges [][]string
		}
	}
	if err := readJSON(folder, "tokenizer.json", &t); err != nil {
		return err
	}
	const normal, control, userDefined, unused = 1, 3, 4, 5
	tokens, kinds := make([]string, size), make([]int32, size)
	for i := range tokens {
		tokens[i], kinds[i] = fmt.Sprintf("[PAD%d]", i), unused
	}
	for _, token := range slices.Sorted(maps.Keys(t.Model.Vocab)) {
		tokens[t.Model.Vocab[token]], kinds[t.Model.Vocab[token]] = token, normal
	}
	for _, a := range t.Added {
		tokens[a.ID], kinds[a.ID] = a.Content, map[bool]int32{true: control, false: userDefined}[a.Special]
	}
	var merges []string
	for _, m := range t.Model.Merges {
		merges = append(merges, strings.Join(m, " "))
	}
	w.set("tokenizer.ggml.model", "gpt2")
	w.set("tokenizer.ggml.pre", "qwen2")
	w.set("tokenizer.ggml.tokens", tokens)
	w.set("tokenizer.ggml.token_type", kinds)
	w.set("tokenizer.ggml.merges", merges)
	w.set("tokenizer.ggml.eos_token_id", eos)
	w.set("tokenizer.ggml.add_bos_token", false)
	return nil
}

func readJSON(folder, name string, into any) error {
	b, err := os.ReadFile(filepath.Join(folder, name))
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
