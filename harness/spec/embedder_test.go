package spec_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/harness/spec"
	"infnet/harness/task"
)

const embedding = `study = "s"
models = [
	{ name = "a", backend = "local", path = "a" },
	{ name = "b", backend = "local", path = "b" },
	{ name = "e", backend = "encoder", path = "bert" },
	{ name = "served", id = "text-embedding-3-small", revision = "1", backend = "gpu" },
]
cascades = [{ models = ["a", "b"] }]
[backends.gpu]
kind = "openai"
urls = ["http://gpu0:8000/v1"]
batch = 16
[embedder]
model = "e"
[[datasets]]
name = "q"
source = "file:q.jsonl"
task = "qa"
prompt = "{question}"
reference = "answer"
correct = { rule = "cosine" }
metrics = ["cosine"]
`

func loadEmbedding(t *testing.T, text string) *spec.Study {
	t.Helper()
	s, err := spec.LoadFS(fstest.MapFS{"s.toml": {Data: []byte(text)},
		"q.jsonl": {Data: []byte("{\"question\":\"who?\",\"answer\":\"me\"}\n")}, "a/config.json": {}, "b/config.json": {},
		"bert/config.json": {}, "other/config.json": {}}, "s.toml", spec.Options{})
	if err != nil {
		t.Fatalf("\n%v", err)
	}
	return s
}

// A model that embeds is none of the models that are asked, and correctness by
// cosine may rest on it.
func TestEmbedderThatIsAModel(t *testing.T) {
	s := loadEmbedding(t, embedding)
	m := s.Embedder.Model
	if m == nil || s.Embedder.Kind != backends.Encoder || s.Embedder.Name() != "e" || m.Path != "bert" {
		t.Fatalf("embedder %+v", s.Embedder)
	}
	if c, ok := m.Config.Settings.(*backends.FolderConfig); !ok || c.Path != "bert" {
		t.Errorf("its settings %+v", c)
	}
	if len(s.Models) != 2 || !cmp.Equal(s.Datasets[0].Correct, spec.Correct{Rule: task.Cosine, Tau: 0.7}, written) {
		t.Errorf("models %+v, correct %+v", s.Models, s.Datasets[0].Correct)
	}
	served := loadEmbedding(t, strings.Replace(embedding, "model = \"e\"", "model = \"served\"", 1))
	if c := served.Embedder.Model.Config.Settings.(*backends.OpenAIConfig); served.Embedder.Kind != backends.OpenAI ||
		c.EmbedBatch != 16 ||
		c.Served != "text-embedding-3-small" {
		t.Errorf("embedder %+v", served.Embedder)
	}
	for change, same := range map[[2]string]bool{
		{"path = \"bert\"", "path = \"other\""}:             false,
		{"model = \"e\"\n", "model = \"served\"\n"}:         false,
		{"\"http://gpu0:8000/v1\"", "\"http://b:8000/v1\""}: true,
	} {
		if got := loadEmbedding(t, strings.Replace(embedding, change[0], change[1], 1)).Hash == s.Hash; got != same {
			t.Errorf("%q: the same study: %v, want %v", change, got, same)
		}
	}
}
