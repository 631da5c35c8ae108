package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Settings are what Hash is of, key by key: "policy.target" → "0.9". A definition goes by its name
// (datasets.reviews.prompt), a label by its place, a baseline by its kind. Defaults are filled in; what is 0, false or
// empty has no key. So two studies of one hash have the same settings, and others differ in those that changed.
func (s *Study) Settings() map[string]string {
	var tree any
	d := json.NewDecoder(bytes.NewReader(s.canonical()))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		panic("spec: the JSON of a study is none: " + err.Error())
	}
	out := map[string]string{}
	top := tree.(map[string]any)
	delete(top, "File") // the version of the hash
	delete(top, "Target")
	settings(out, "", top)
	out["policy.target"] = s.Policy.Target.String()
	if xi, ok := s.Policy.Target.Numeric(); ok {
		x, _ := xi.Float64()
		out["policy.target"] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	if t := s.Collect.Timeout; t > 0 {
		out["collect.timeout"] = t.String()
	}
	return out
}

// settingNames are the keys of specs whose fields are named otherwise. A field without a key of its own passes on its
// parent's.
var settingNames = map[string]string{
	"Config": "", "Model": "", "Local": "", "OpenAI": "", "HuggingFace": "", "Hosted": "", "Recording": "",
	"kind": "backend",
	"Text": "", "Scheme": "-", "LabelColumn": "label", "ReferenceColumn": "reference", "IDColumn": "id",
	"GroupColumn": "group", "Limit": "limit", "Fixed": "fixed_cost", "Name": "-", "Names": "names",
	"AnswersHash": "-", "Written": "-", "Priced": "-",
}

// settings adds a tree of JSON to out, below a key.
func settings(out map[string]string, at string, tree any) {
	switch x := tree.(type) {
	case map[string]any:
		for name, value := range x {
			key, known := settingNames[name]
			if !known || at == "" && name != "Name" || at == "cost" || at == "cost.prices" {
				key = snake(name)
			}
			if at == "" && name == "Name" {
				key = "study"
			}
			if key != "-" {
				settings(out, join(at, key), value)
			}
		}
	case []any:
		seen := map[string]int{}
		for i, item := range x {
			object, ok := item.(map[string]any)
			if !ok {
				b, _ := json.Marshal(x)
				out[at] = string(b)
				return
			}
			name := strconv.Itoa(i + 1)
			for _, by := range []string{"Name", "Kind"} {
				if s, ok := object[by].(string); ok && s != "" {
					name = s
					break
				}
			}
			if seen[name]++; seen[name] > 1 {
				name = fmt.Sprintf("%s-%d", name, seen[name])
			}
			settings(out, join(at, name), object)
		}
	case string:
		set(out, at, x, x == "")
	case json.Number:
		set(out, at, x.String(), x.String() == "0")
	case bool:
		set(out, at, strconv.FormatBool(x), !x)
	}
}

func set(out map[string]string, key, value string, empty bool) {
	if !empty {
		out[key] = value
	}
}

func join(at, key string) string {
	if at == "" || key == "" {
		return at + key
	}
	return at + "." + key
}

// snake writes the name of a field as a key: MaxTokens is max_tokens.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) {
			if i > 0 && !unicode.IsUpper(rune(name[i-1])) {
				b.WriteByte('_')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
