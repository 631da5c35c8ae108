package importer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// schema is a JSON schema of draft 7, as far as those of Every Eval Ever use it.
type schema struct {
	root map[string]any
	used map[string]bool // keywords that were met
}

// The schemas of version 0.3.0 are evaleval/every_eval_ever's own (commit 9bce413, MIT licence beside them).
func schemaOf(t *testing.T, name string) *schema {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "every-eval-ever", name))
	if err != nil {
		t.Fatal(err)
	}
	s := &schema{used: map[string]bool{}}
	if err := json.Unmarshal(raw, &s.root); err != nil {
		t.Fatal(err)
	}
	return s
}

// faults lists where a document breaks the schema.
func (s *schema) faults(document []byte) []string {
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		return []string{err.Error()}
	}
	return s.check("$", s.root, v)
}

func (s *schema) check(at string, rule map[string]any, v any) (out []string) {
	wrong := func(format string, args ...any) { out = append(out, at+": "+fmt.Sprintf(format, args...)) }
	for key, want := range rule {
		s.used[key] = true
		switch key {
		case "type":
			if !slices.ContainsFunc(list(want), func(t any) bool { return isType(t, v) }) {
				wrong("%v is no %v", v, want)
			}
		case "enum":
			if !slices.Contains(list(want), v) {
				wrong("%v is none of %v", v, want)
			}
		case "const":
			if v != want {
				wrong("%v is not %v", v, want)
			}
		case "pattern":
			if text, ok := v.(string); ok && !regexp.MustCompile(want.(string)).MatchString(text) {
				wrong("%q does not match %v", text, want)
			}
		case "minimum", "maximum":
			if x, ok := v.(float64); ok && (key == "minimum" && x < want.(float64) || key == "maximum" && x > want.(float64)) {
				wrong("%v is beyond the %s %v", x, key, want)
			}
		case "minItems":
			if x, ok := v.([]any); ok && float64(len(x)) < want.(float64) {
				wrong("%d items, fewer than %v", len(x), want)
			}
		case "items":
			for k, x := range list(v) {
				out = append(out, s.check(fmt.Sprintf("%s[%d]", at, k), want.(map[string]any), x)...)
			}
		case "$ref":
			name := strings.TrimPrefix(want.(string), "#/$defs/")
			out = append(out, s.check(at, s.root["$defs"].(map[string]any)[name].(map[string]any), v)...)
		case "not":
			if len(s.check(at, want.(map[string]any), v)) == 0 {
				wrong("%v is what it must not be", v)
			}
		case "oneOf", "allOf":
			fit, all := 0, []string(nil)
			for _, r := range want.([]any) {
				f := s.check(at, r.(map[string]any), v)
				if len(f) == 0 {
					fit++
				}
				all = append(all, f...)
			}
			if key == "oneOf" && fit != 1 || key == "allOf" && fit != len(want.([]any)) {
				wrong("%d of %s fit: %v", fit, key, all)
			}
		case "if":
			branch := "else"
			if len(s.check(at, want.(map[string]any), v)) == 0 {
				branch = "then"
			}
			if r, ok := rule[branch].(map[string]any); ok {
				out = append(out, s.check(at, r, v)...)
			}
		}
	}
	if object, ok := v.(map[string]any); ok {
		out = append(out, s.object(at, rule, object)...)
	}
	return out
}

// object checks the entries of an object.
func (s *schema) object(at string, rule, v map[string]any) (out []string) {
	for _, key := range list(rule["required"]) {
		if _, ok := v[key.(string)]; !ok {
			out = append(out, fmt.Sprintf("%s: no %v", at, key))
		}
	}
	known, _ := rule["properties"].(map[string]any)
	for key, x := range v {
		if r, ok := known[key].(map[string]any); ok {
			out = append(out, s.check(at+"."+key, r, x)...)
			continue
		}
		switch more := rule["additionalProperties"].(type) {
		case bool:
			if !more {
				out = append(out, fmt.Sprintf("%s: %q is unknown", at, key))
			}
		case map[string]any:
			out = append(out, s.check(at+"."+key, more, x)...)
		}
	}
	return out
}

// list is a JSON list, or the one value.
func list(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case nil:
		return nil
	}
	return []any{v}
}

func isType(name, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	case []any:
		return name == "array"
	}
	return name == "object"
}

// The schemas use no keyword that the test does not know, and refuse what breaks them.
func TestSchemasAreChecked(t *testing.T) {
	known := strings.Fields("$schema $defs version type description required additionalProperties properties enum const " +
		"pattern minimum maximum minItems items $ref not oneOf allOf if then else default")
	for _, name := range []string{"eval.schema.json", "instance_level_eval.schema.json"} {
		s := schemaOf(t, name)
		var walk func(v any, names bool)
		walk = func(v any, names bool) {
			switch v := v.(type) {
			case map[string]any:
				for key, x := range v {
					if !names && !slices.Contains(known, key) {
						t.Errorf("%s: the keyword %q is not checked", name, key)
					}
					walk(x, !names && (key == "properties" || key == "$defs"))
				}
			case []any:
				for _, x := range v {
					walk(x, false)
				}
			}
		}
		walk(s.root, false)
		if f := s.faults([]byte(`{"schema_version": 3, "colour": "red"}`)); len(f) < 5 {
			t.Errorf("%s: faults %v, want the type, the unknown key and what is missing", name, f)
		}
	}
}
