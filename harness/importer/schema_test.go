package importer_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The schemas of version 0.3.0 are evaleval/every_eval_ever's own (commit 9bce413, MIT licence beside them).
func schemaOf(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "every-eval-ever", name))
	if err != nil {
		t.Fatal(err)
	}
	if s.Validate(map[string]any{"schema_version": 3.0}) == nil {
		t.Fatalf("%s accepts a version that is a number", name)
	}
	return s
}

// follows reports where a document breaks a schema.
func follows(t *testing.T, s *jsonschema.Schema, document string) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, document)
	}
}
