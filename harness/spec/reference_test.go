package spec

import (
	"encoding"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The reference in the repository is what the schema says now.
func TestReference(t *testing.T) {
	var b strings.Builder
	if err := WriteReference(&b); err != nil {
		t.Fatal(err)
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile("REFERENCE.md", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("REFERENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("REFERENCE.md is out of date; go generate ./harness/spec (-want +got):\n%s", diff)
	}
}

// Every key says what it means, and what its values and default are.
func TestEveryKeyIsDocumented(t *testing.T) {
	var walk func(reflect.Type, string)
	keys := 0
	walk = func(s reflect.Type, at string) {
		for i := range s.NumField() {
			f := s.Field(i)
			key := f.Tag.Get("toml")
			if key == "" {
				continue
			}
			keys++
			sub, _ := tableOf(f.Type)
			if f.Tag.Get("doc") == "" {
				t.Errorf("%s%s has no doc", at, key)
			}
			if sub == nil && f.Tag.Get("default") == "" {
				t.Errorf("%s%s has no default", at, key)
			}
			if sub == nil && f.Tag.Get("range") == "" && choices(f.Type) == "" {
				t.Errorf("%s%s does not say what its values are", at, key)
			}
			if sub != nil {
				walk(sub, at+key+".")
			}
		}
	}
	walk(reflect.TypeFor[rawStudy](), "")
	if keys < 60 {
		t.Errorf("only %d keys seen", keys)
	}
}

// The defaults that the reference prints are the ones that hold: writing one
// out does not change the study.
func TestPrintedDefaultsHold(t *testing.T) {
	small, err := os.ReadFile("testdata/valid/small.toml")
	if err != nil {
		t.Fatal(err)
	}
	hash := func(text string) string {
		s, err := LoadFS(fstest.MapFS{
			"valid/s.toml": {Data: []byte(text)}, "files/reviews.csv": {Data: []byte("text,label\n")},
			"files/student/config.json": {}, "files/master/config.json": {},
		}, "valid/s.toml", Options{})
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		return s.Hash
	}
	base := strings.Replace(string(small), `"builtin:reviews"`,
		"\"file:../files/reviews.csv\"\ntask = \"classification\"\nlabels = [\"a\", \"b\"]\nprompt = \"{text}\"", 1)
	want := hash(base)
	checked := 0
	for _, test := range []struct {
		of     any
		header string
		skip   string // keys whose default is no literal
	}{
		{rawSplit{}, "[split]", "limit"},
		{rawEmbedder{}, "[embedder]", "model"},
		{rawCost{}, "[cost]", ""},
		{rawPolicy{}, "[policy]", "compare ensembles guarantee"},
		{rawConfidence{}, "[confidence]", "label_mass"},
		{rawLabelMass{}, "[confidence.label_mass]", ""},
		{rawBaseline{}, "[[baselines]]\nkind = \"random\"", "kind learner encoder delta delta_kind compat learner_cost"},
		{rawBaseline{}, "[[baselines]]\nkind = \"hybridllm\"", "kind p draws rng encoder delta_kind learner_cost"},
		{rawCollect{}, "[collect]", "budget"},
		{rawReport{}, "[report]", "published"},
		{rawSufficiency{}, "[sufficiency]", "extra nulls dimensions permutations stop stratum sensitivity"},
		{rawModel{}, "[[models]]", "name id revision backend served path price_in price_out fixed_cost params shape " +
			"simulated answers answers_format answers_filter answers_delimiter columns"},
		{rawDataset{}, "[[datasets]]",
			"name source if_set padding task labels prompt fields reference id group direction limit split max_tokens stop " +
				"correct metrics"},
	} {
		want := want
		if test.header == "[sufficiency]" || strings.Contains(test.header, "hybridllm") { // its presence means something
			want = hash(base + test.header + "\n")
		}
		for i := range reflect.TypeOf(test.of).NumField() {
			f := reflect.TypeOf(test.of).Field(i)
			key, value := f.Tag.Get("toml"), f.Tag.Get("default")
			if key == "" || strings.Contains(" "+test.skip+" ", " "+key+" ") {
				continue
			}
			if k := f.Type.Elem().Kind(); k == reflect.String || k == reflect.Struct ||
				f.Type.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
				value = fmt.Sprintf("%q", value)
			}
			line := key + " = " + value + "\n"
			text := base + test.header + "\n" + line
			if strings.Contains(base, test.header+"\n") { // into the tables that are there
				text = strings.Replace(base, test.header+"\n", test.header+"\n"+line, 1)
			}
			checked++
			if hash(text) != want {
				t.Errorf("%s %s: the study changes, so this is not the default", test.header, line)
			}
		}
	}
	if checked < 25 {
		t.Errorf("only %d defaults checked", checked)
	}
}

// A file that is valid TOML and no spec is refused quickly, however it is
// blown up.
func TestHostileSizes(t *testing.T) {
	for name, text := range map[string]string{
		"nested lists":   "a = " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"nested tables":  "a = " + strings.Repeat("{b=", 9000) + "1" + strings.Repeat("}", 9000),
		"dotted key":     strings.Repeat("a.", 9000) + "b = 1",
		"dotted header":  "[" + strings.Repeat("a.", 9000) + "b]",
		"long key":       strings.Repeat("a", 100_000) + " = 1",
		"many keys":      "[policy]\n" + manyKeys(20_000),
		"many datasets":  strings.Repeat("[[datasets]]\n", 15_000),
		"many cascades":  strings.Repeat("[[cascades]]\n", 15_000),
		"many metrics":   "[[datasets]]\nmetrics = [" + strings.Repeat("\"accuracy\",", 15_000) + "]",
		"larger than it": strings.Repeat("# comment\n", 50_000),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := LoadFS(fstest.MapFS{"s.toml": {Data: []byte(text)}}, "s.toml", Options{})
			if err == nil {
				t.Error("it loads")
			} else if len(err.Error()) > 200_000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "target%d = 1\n", i)
	}
	return b.String()
}
