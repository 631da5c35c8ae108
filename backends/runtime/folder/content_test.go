package folder

import (
	"maps"
	"testing"
	"testing/fstest"
)

// The SHA-256 of "weights" is that of coreutils' sha256sum.
func TestContentOfAFile(t *testing.T) {
	fsys := fstest.MapFS{"m.gguf": {Data: []byte("weights")}}
	const want = "9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c"
	if got, err := Content(fsys, "m.gguf"); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if _, err := Content(fsys, "n.gguf"); err == nil {
		t.Error("a file that is not there has a content")
	}
}

func TestContent(t *testing.T) {
	hub := fstest.MapFS{
		"m/config.json": {Data: []byte("{}")}, "m/model.safetensors": {Data: []byte("w")},
		"m/tokenizer.json": {Data: []byte("t")}, "m/tokenizer.model": {Data: []byte("s")},
		"m/1_Pooling/config.json": {Data: []byte("p")},
		"m/README.md":             {Data: []byte("r")}, "m/.cache/x.json": {Data: []byte("c")},
		"m/onnx/model.bin": {Data: []byte("o")},
	}
	parts := fstest.MapFS{
		"m-00001-of-00002.gguf": {Data: []byte("a")}, "m-00002-of-00002.gguf": {Data: []byte("b")},
		"n-00001-of-00002.gguf": {Data: []byte("c")},
	}
	other := fstest.MapFS{"m/params": {Data: []byte("w")}, "m/deep/more": {Data: []byte("x")},
		"m/.git/index": {Data: []byte("g")}}
	for _, test := range []struct {
		name, of string
		fsys     fstest.MapFS
		changed  string // a file whose content changes
		same     bool   // and does not count
	}{
		{"weights", "m", hub, "m/model.safetensors", false},
		{"config", "m", hub, "m/config.json", false},
		{"tokenizer of transformers", "m", hub, "m/tokenizer.json", false},
		{"tokenizer of SentencePiece", "m", hub, "m/tokenizer.model", false},
		{"a new file", "m", hub, "m/chat_template.jinja", false},
		{"pooling", "m", hub, "m/1_Pooling/config.json", false},
		{"what is for readers", "m", hub, "m/README.md", true},
		{"hidden", "m", hub, "m/.cache/x.json", true},
		{"another form of the weights", "m", hub, "m/onnx/model.bin", true},
		{"the first part", "m-00001-of-00002.gguf", parts, "m-00001-of-00002.gguf", false},
		{"the second part", "m-00001-of-00002.gguf", parts, "m-00002-of-00002.gguf", false},
		{"a part of another file", "m-00001-of-00002.gguf", parts, "n-00001-of-00002.gguf", true},
		{"unknown layout", "m", other, "m/params", false},
		{"unknown layout, deeper", "m", other, "m/deep/more", false},
		{"unknown layout, hidden", "m", other, "m/.git/index", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, err := Content(test.fsys, test.of)
			if err != nil || len(before) != 64 {
				t.Fatalf("%q, %v", before, err)
			}
			after := maps.Clone(test.fsys)
			after[test.changed] = &fstest.MapFile{Data: []byte("other")}
			if got, err := Content(after, test.of); err != nil || (got == before) != test.same {
				t.Errorf("the same hash: %v, %v; want %v", got == before, err, test.same)
			}
		})
	}
}
