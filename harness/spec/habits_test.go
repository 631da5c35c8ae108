package spec

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Whatever a habit's hint names exists, so that no one is sent in a circle, and
// no habit is a key that is valid where it is written.
func TestHabitsLeadToKeys(t *testing.T) {
	keys := func(t reflect.Type) (out []string) {
		for o := range options(reflect.New(t).Elem()) {
			out = append(out, o.key)
		}
		return out
	}
	tables := map[string]reflect.Type{
		"models": reflect.TypeFor[Model](), "backends": reflect.TypeFor[rawBackend](),
		"datasets": reflect.TypeFor[Dataset](),
		"split":    reflect.TypeFor[Split](), "collect": reflect.TypeFor[Collect](),
		"confidence": reflect.TypeFor[Confidence](),
	}
	for table, list := range habits {
		own := keys(table)
		for entry := range strings.SplitSeq(list, "|") {
			meant, theirs, _ := strings.Cut(entry, ":")
			for written := range strings.FieldsSeq(theirs) {
				if slices.Contains(own, written) {
					t.Errorf("%s: %q is a key, and no habit", table, written)
				}
			}
			for _, k := range strings.Fields(meant) {
				section, name, ok := strings.Cut(k, ".")
				if !ok {
					section, name = "", k
				}
				switch {
				case ok && (sectionTitles[section] == "" || tables[section] == nil):
					t.Errorf("%s: %q leads to %q, a table without a title", table, theirs, k)
				case ok && !slices.Contains(keys(tables[section]), name), !ok && !slices.Contains(own, name) &&
					!slices.Contains(keys(reflect.TypeFor[rawStudy]()), name):
					t.Errorf("%s: %q leads to %q, which does not exist", table, theirs, k)
				}
			}
		}
	}
}

func TestHabit(t *testing.T) {
	model, backend, data := reflect.TypeFor[Model](), reflect.TypeFor[rawBackend](), reflect.TypeFor[Dataset]()
	for _, tt := range []struct {
		table     reflect.Type
		key, want string
	}{
		{model, "model", `did you mean "served", or "id"?`},
		{model, "base_url", `"urls" in the [backends] table`},
		{model, "max_new_tokens", `"max_tokens" in [[datasets]]`},
		{model, "temperature", "answers are greedy"},
		{backend, "key_env", `"api_key_env"`},
		{backend, "apiKeyEnv", `"api_key_env"`},
		{backend, "url", `"urls"? it is a list`},
		{data, "text_column", `"fields", or "prompt"`},
		{data, "prompt_template", `"prompt"`},
		{data, "max-new-tokens", `"max_tokens"`},
		{data, "classes", `"labels"`},
		{data, "xyzzy", ""},
	} {
		if got := habit(tt.table, tt.key); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q gives %q, want %q", tt.table, tt.key, got, tt.want)
		}
	}
}
