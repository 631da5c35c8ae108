package encoder

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends"
	"infnet/backends/backendtest"
)

func copyOf(t *testing.T, folder string) fstest.MapFS {
	t.Helper()
	return backendtest.Folder(t, os.DirFS(folder))
}

func TestRefusedFolders(t *testing.T) {
	for _, c := range []struct{ name, folder, file, old, new, want string }{
		{"another architecture", "bert", "config.json", `"model_type": "bert"`, `"model_type": "roberta"`,
			`config.json: model_type "roberta" is no encoder known here`},
		{"a key too few", "bert", "config.json", `"hidden_size"`, `"hidden"`, "config.json: hidden_size is missing"},
		{"a key of the other architecture", "distilbert", "config.json", `"dim": 36`, `"hidden_size": 36`,
			"config.json: dim is missing"},
		{"an odd number of heads", "bert", "config.json", `"num_attention_heads": 2`, `"num_attention_heads": 5`,
			"not a multiple of 5 heads"},
		{"another activation", "distilbert", "config.json", `"activation": "gelu"`, `"activation": "gelu_new"`,
			`activation = "gelu_new" is not supported`},
		{"relative positions", "bert", "config.json", `"hidden_act"`,
			`"position_embedding_type": "relative_key", "hidden_act"`, "want absolute"},
		{"other shapes than the weights'", "bert", "config.json", `"intermediate_size": 50`, `"intermediate_size": 51`,
			"has shape [50 36]: want [51 36]"},
		{"a layer too few", "bert", "config.json", `"num_hidden_layers": 2`, `"num_hidden_layers": 1`,
			"has no place in a bert encoder of 1 layers"},
		{"a layer too many", "mpnet", "config.json", `"num_hidden_layers": 2`, `"num_hidden_layers": 3`,
			`tensor "encoder.layer.2.`},
		{"a vocabulary too small", "bert", "config.json", `"vocab_size": `, `"vocab_size": 20, "x": `,
			"are they of one model?"},
		{"two ways to pool", "bert", "1_Pooling/config.json", `"pooling_mode_max_tokens": false`,
			`"pooling_mode_max_tokens": true`, "pooling by cls_token and max_tokens is not supported"},
		{"another way to pool", "bert", "1_Pooling/config.json", `pooling_mode_cls_token`, `pooling_mode_lasttoken`,
			"pooling by lasttoken is not supported"},
		{"a further module", "bert", "modules.json", "models.Normalize", "models.Dense", "module 2 is"},
		{"a network elsewhere", "bert", "modules.json", `"path": ""`, `"path": "0_BERT"`,
			`the network is in the folder "0_BERT"`},
		{"lower case twice", "bert", "sentence_bert_config.json", "false", "true", "do_lower_case is not supported"},
		{"no tokenizer", "bert", "tokenizer.json", "BertNormalizer", "NFC", "tokenizer.json: normalizer"},
		{"damaged weights", "bert", "model.safetensors", "F32", "F99", "model.safetensors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := copyOf(t, path.Join("testdata", c.folder))
			backendtest.Edit(t, fsys, c.file, c.old, c.new)
			_, err := OpenFS(fsys, backends.FolderConfig{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
	fsys := copyOf(t, "testdata/bert")
	fsys[promptsFile] = &fstest.MapFile{Data: []byte(`{"default_prompt_name":"query"}`)}
	if _, err := OpenFS(fsys, backends.FolderConfig{}); err == nil ||
		!strings.Contains(err.Error(), "prompts in front of texts") {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{"config.json", "model.safetensors", "tokenizer.json"} {
		fsys := copyOf(t, "testdata/bert")
		delete(fsys, name)
		delete(fsys, "vocab.txt")
		if _, err := OpenFS(fsys, backends.FolderConfig{}); err == nil {
			t.Errorf("no error without %s", name)
		}
	}
}

// A folder without sentence-transformers' files is pooled by the mean over as
// many tokens as there are positions.
func TestAPlainFolder(t *testing.T) {
	fsys := copyOf(t, "testdata/bert")
	for name := range fsys {
		if strings.HasPrefix(name, "1_Pooling") || name == "modules.json" || strings.HasPrefix(name, "sentence_") {
			delete(fsys, name)
		}
	}
	e, err := OpenFS(fsys, backends.FolderConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if e.pooling != mean || e.longest != 96 {
		t.Errorf("pooling %s over %d tokens, want mean over 96", e.pooling, e.longest)
	}
}

// Tensors are found by the names of the first published weights as well.
func TestNamesOfTensors(t *testing.T) {
	fsys := copyOf(t, "testdata/bert")
	// Of equal length, so that the header stays sound.
	data := bytes.ReplaceAll(fsys["model.safetensors"].Data, []byte(`LayerNorm.weight"`), []byte(`LayerNorm.gamma" `))
	data = bytes.ReplaceAll(data, []byte(`LayerNorm.bias"`), []byte(`LayerNorm.beta"`))
	fsys["model.safetensors"] = &fstest.MapFile{Data: data}
	var vectors [2][][]float32
	for i, folder := range []fs.FS{fsys, os.DirFS("testdata/bert")} {
		e, err := OpenFS(folder, backends.FolderConfig{})
		if err != nil {
			t.Fatal(err)
		}
		if vectors[i], err = e.Embed(t.Context(), []string{"a film"}); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(vectors[0][0], vectors[1][0]) {
		t.Error("the old names give another vector")
	}
}

// Every file that may change a vector changes the revision, and no other does.
func TestRevision(t *testing.T) {
	revision := func(fsys fs.FS) string {
		r, err := Revision(fsys)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	fsys := copyOf(t, "testdata/bert")
	want := revision(fsys)
	if got := revision(os.DirFS("testdata/bert")); got != want || len(got) != 64 {
		t.Errorf("revision %s on disk, %s in memory", got, want)
	}
	for _, name := range slices.Sorted(maps.Keys(fsys)) {
		changed := maps.Clone(fsys)
		changed[name] = &fstest.MapFile{Data: append(slices.Clone(fsys[name].Data), '\n')}
		if revision(changed) == want {
			t.Errorf("a change of %s changes nothing", name)
		}
	}
	fsys["README.md"] = &fstest.MapFile{Data: []byte("a model card")}
	if revision(fsys) != want {
		t.Error("a model card changes the revision")
	}
	if _, err := Revision(fstest.MapFS{"config.json": {}}); err == nil {
		t.Error("no error without weights")
	}
}
