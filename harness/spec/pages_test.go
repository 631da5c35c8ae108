package spec_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/fstest"

	"infnet/harness/spec"
)

// What the servers' pages tell users to write is a spec without a mistake.
func TestServerPages(t *testing.T) {
	pages, err := filepath.Glob("../../backends/openai/docs/*.md")
	if err != nil || len(pages) < 4 {
		t.Fatalf("%d pages, %v, want one for each server that was tried, and OpenAI", len(pages), err)
	}
	blocks := regexp.MustCompile("(?s)```toml\n(.*?)```")
	name := regexp.MustCompile(`(?m)^name +=  *"([^"]+)"`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		block := blocks.FindSubmatch(text)
		if block == nil {
			t.Errorf("%s shows no spec", page)
			continue
		}
		first, last := string(name.FindSubmatch(block[1])[1]), "other"
		if bytes.Contains(block[1], []byte("no_logprobs")) { // a last model only
			first, last = last, first
		}
		study := fmt.Sprintf("study = \"page\"\ncost = { model = \"tokens\" }\n%s\n[[models]]\nname = \"other\"\nbackend "+
			"= \"ollama-too\"\nrevision = \"1\"\nprice_in = 1\nprice_out = 2\n"+
			"[backends.ollama-too]\nkind = \"openai\"\nurls = [\"http://h/v1\"]\n"+
			"[[datasets]]\nname = \"d\"\nsource = \"file:rows.csv\"\ntask = \"classification\"\nlabels = [\"a\", "+
			"\"b\"]\nprompt = \"{text}:\"\n[[cascades]]\nmodels = [%q, %q]\n", block[1], first, last)
		files := fstest.MapFS{"s.toml": {Data: []byte(study)}, "rows.csv": {Data: []byte("text,label\nx,a\n")},
			"models/tiny-master/config.json": {Data: []byte("{}")}}
		s, err := spec.LoadFS(files, "s.toml", spec.Options{})
		if err != nil {
			t.Errorf("%s: %v", page, err)
			continue
		}
		for _, w := range s.Warnings {
			t.Errorf("%s: %s", page, w)
		}
	}
}
