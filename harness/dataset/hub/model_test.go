package hub

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestModel(t *testing.T) {
	const index = `{"metadata":{"total_size":8},"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors","c":"model-00001-of-00002.safetensors"}}`
	l := serve(t)
	small := map[string]string{"config.json": `{"a":1}`, "tokenizer.model": "pieces", "README.md": "# card",
		"model.safetensors": "weights",
		"pytorch_model.bin": "pickle", "consolidated.safetensors": "again", "onnx/model.onnx": "onnx", "modules.json": "[]",
		"1_Pooling/config.json": "{}"}
	l.add("models/google/gemma-3-1b-it", "main", mainCommit, small).gated = "hf_right"
	l.add("models/owner/sharded", "v1", mainCommit,
		map[string]string{"config.json": "{}", "tokenizer.json": "{}", "model.safetensors.index.json": index,
			"model-00001-of-00002.safetensors": "one", "model-00002-of-00002.safetensors": "two",
			"consolidated.safetensors": "all"})
	l.add("models/bare", "main", mainCommit, map[string]string{"config.json": "{}", "model.safetensors": "w"})
	l.add("models/owner/pickled", "main", mainCommit, map[string]string{"config.json": "{}", "pytorch_model.bin": "p"})
	l.add("models/owner/lost", "main", mainCommit,
		map[string]string{"config.json": "{}", "model-00001-of-00002.safetensors": "one"})
	l.add("models/owner/adapter", "main", mainCommit,
		map[string]string{"adapter_config.json": "{}", "model.safetensors": "p"})
	for _, tt := range []struct {
		ref   string
		files []string
		want  string
	}{
		{ref: "hf:google/gemma-3-1b-it",
			files: []string{"1_Pooling/config.json", "config.json", "modules.json", "tokenizer.model", "model.safetensors"}},
		{ref: "hf:owner/sharded@v1", files: []string{"config.json", "model.safetensors.index.json", "tokenizer.json",
			"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"}},
		{ref: "hf:bare", files: []string{"config.json", "model.safetensors"}},
		{ref: "hf:owner/pickled", want: "only whole models in safetensors"},
		{ref: "hf:owner/lost", want: "1 files of safetensors weights, and 2"},
		{ref: "hf:owner/adapter", want: "no config.json"},
		{ref: "hf:owner/sharded", want: `no revision "main"`},
	} {
		t.Run(tt.ref, func(t *testing.T) {
			r, err := ParseModel(tt.ref)
			if err != nil {
				t.Fatal(err)
			}
			c := client(t, l, func(o *Options) { o.Token = "hf_right" })
			d, err := c.Download(t.Context(), r, nil)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q in it", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.files, names(d)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			for _, name := range tt.files { // all in one folder
				if _, err := os.Stat(filepath.Join(d.Dir, filepath.FromSlash(name))); err != nil {
					t.Error(err)
				}
			}
			off := client(t, l, func(o *Options) { o.Offline = true; o.Cache = c.o.Cache })
			again, err := off.Download(t.Context(), r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(names(d), names(again)); diff != "" {
				t.Errorf("offline (-online +offline):\n%s", diff)
			}
		})
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
