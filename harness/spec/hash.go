package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"infnet/harness/policy"
)

// hashVersion changes when the meaning of a study changes, so that results of
// the old meaning are not taken for results of the new one.
const hashVersion = "infnet study 1"

// canonical is the JSON of what counts of the study, whose SHA-256 is its hash. It does not depend on comments,
// spacing, the order of keys, the location of files or the servers. Paths count as they are written, so the same study
// has the same hash on every machine. Settings of a backend that change answers are in the revisions of its models. Two
// specs of which one writes out a default have the same hash.
func (s *Study) canonical() []byte {
	c := *s
	c.File, c.Hash, c.FS, c.Warnings = hashVersion, "", nil, nil
	c.Models = slices.Clone(s.Models)
	for i := range c.Models {
		c.Models[i] = c.Models[i].plain()
	}
	if m := s.Embedder.Model; m != nil {
		plain := m.plain()
		c.Embedder.Model = &plain
	}
	if s.Scorer != nil {
		plain := s.Scorer.plain()
		c.Scorer = &plain
	}
	if s.Judge != nil {
		plain, judge := s.Judge.Model.plain(), *s.Judge
		judge.Model = &plain
		c.Judge = &judge
	}
	c.Datasets = append([]Dataset(nil), s.Datasets...)
	for i := range c.Datasets {
		c.Datasets[i].Source.Name = "" // Text holds what is written
	}
	if c.Confidence.LabelMass == usualMass {
		c.Confidence.LabelMass = 0 // studies older than this key keep their hash
	}
	target := s.Policy.Target.String()
	if xi, ok := s.Policy.Target.Numeric(); ok {
		target = xi.RatString() // 0.950 is 0.95
	}
	c.Policy.Target = policy.Target{}
	b, err := json.Marshal(struct {
		Study
		Target string
	}{c, target})
	if err != nil {
		panic("spec: a checked study has no JSON: " + err.Error())
	}
	return b
}

// plain returns the part of a model that counts in the hash.
func (m Model) plain() Model {
	m.FS, m.HeadersEnv = nil, nil // Path holds what is written; Config writes what counts of it
	if m.Recording != nil {
		answers := *m.Recording
		answers.File = "" // Text holds what is written
		m.Recording = &answers
	}
	return m
}

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
	case string, json.Number, bool:
		if text := fmt.Sprint(x); text != "" && text != "0" && text != "false" || x == "0" || x == "false" {
			out[at] = text
		}
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
