package openai_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest/servers"
	"infnet/backends/encoder"
	"infnet/backends/openai"
)

// flat copies a sentence encoder's folder so that Ollama takes it: its client
// uploads no subfolders, so what 1_Pooling/config.json says goes into
// config.json.
func flat(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range []string{"config.json", "model.safetensors", "modules.json", "sentence_bert_config.json",
		"tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"} {
		b, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		switch name {
		case "config.json":
			var c map[string]any
			if err := json.Unmarshal(b, &c); err != nil {
				t.Fatal(err)
			}
			c["pooling_mode_mean_tokens"] = true
			b, _ = json.Marshal(c)
		case "modules.json":
			b = []byte(`[{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},{"idx":1,"name":"1","path":".","type":"sentence_transformers.models.Pooling"},{"idx":2,"name":"2","path":"2_Normalize","type":"sentence_transformers.models.Normalize"}]`)
		}
		if err := os.WriteFile(filepath.Join(to, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// A real Ollama that serves all-MiniLM-L6-v2 gives the vectors that the
// encoder in this process gives. It serves F16 weights: 11 bits.
func TestOllamaEmbeddings(t *testing.T) {
	folder := os.Getenv("INFNET_MINILM")
	if folder == "" {
		t.Skip("set INFNET_MINILM to a folder of all-MiniLM-L6-v2 to try a real server's embeddings")
	}
	root := servers.Ollama(t, map[string]string{"minilm": flat(t, folder)})
	here, err := encoder.OpenFS(os.DirFS(folder), backends.FolderConfig{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	served, err := openai.OpenEmbedder(backends.Config{Model: backends.ModelID{ID: "minilm", Kind: backends.OpenAI},
		Settings: &backends.OpenAIConfig{Access: backends.Access{URLs: []string{root + "/v1"}}, EmbedBatch: 4}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = served.Close() })
	// Ollama 0.17.4 keeps accents and takes ASCII symbols for letters, which
	// BERT's tokenizer does not: the last two are logged alone.
	texts := []string{
		"the film was long", "Which NFL team represented the AFC at Super Bowl 50?", "Denver Broncos",
		"Das Wetter in Bonn ist heute warm.",
		"two\nlines", "", "50% off!", "Oil prices rose above 46 dollars a barrel on Friday, a record high.", "1 2 3",
		"antidisestablishmentarianism",
		"Das Wetter in Köln ist heute schön.", "above $46 a barrel",
	}
	want, err := here.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	got, err := served.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		cosine := 0.0
		for j := range want[i] {
			cosine += float64(want[i][j]) * float64(got[i][j])
		}
		t.Logf("%q: cosine %.6f", text, cosine)
		if cosine < 0.9999 && i < len(texts)-2 {
			t.Errorf("%q: the server's vector has cosine %.6f with ours", text, cosine)
		}
	}
}
