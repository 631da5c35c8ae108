package spec_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/BurntSushi/toml"
	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/spec"
)

// files is a file system with what the specs of these tests name.
func files(study string) fstest.MapFS {
	return fstest.MapFS{
		"valid/s.toml":              {Data: []byte(study)},
		"files/student/config.json": {}, "files/master/config.json": {},
		"files/reviews.csv": {Data: []byte("text,label\na,0\n")}, "files/questions.jsonl": {Data: []byte("{}\n")},
	}
}

func hashOf(study string) (string, error) {
	s, err := spec.LoadFS(files(study), "valid/s.toml", options())
	if err != nil {
		return "", err
	}
	return s.Hash, nil
}

// draw makes a random valid study, as a tree.
func draw(t *rapid.T) map[string]any {
	share := rapid.Float64Range(0.01, 0.99)
	maybe := func(m map[string]any, key string, v any) {
		if rapid.Bool().Draw(t, "with "+key) {
			m[key] = v
		}
	}
	var models []map[string]any
	for _, name := range []string{"student", "master"} {
		m := map[string]any{"name": name, "backend": "local", "path": "../files/" + name,
			"fixed_cost": 1 + rapid.Float64Range(0, 9).Draw(t, "cost")}
		maybe(m, "mode", rapid.SampledFrom([]string{"raw", "chat"}).Draw(t, "mode"))
		maybe(m, "id", "acme/"+name)
		models = append(models, m)
	}
	words := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z"\\#=é]{1,6}`), 2, 5, rapid.ID).Draw(t, "words")
	set := map[string]any{"name": "reviews", "source": "file:../files/reviews.csv", "task": "classification",
		"labels": words,
		"prompt": rapid.StringMatching(`[a-zA-Z #"'\n\t\\=]{0,30}`).Draw(t, "prompt") + "{text}:"}
	maybe(set, "limit", rapid.IntRange(10, 1000).Draw(t, "limit"))
	maybe(set, "split", map[string]any{"fit": share.Draw(t, "fit"),
		"order": rapid.SampledFrom([]string{"shuffle", "file"}).Draw(t, "order")})
	question := map[string]any{"name": "questions", "source": "file:../files/questions.jsonl", "task": "qa",
		"prompt": "{q}", "reference": "answers.text",
		"fields": map[string]any{"q": rapid.StringMatching(`[a-z #]{1,8}`).Draw(t, "column")}}
	maybe(question, "stop", rapid.SliceOfN(rapid.StringMatching(`[.\n"]{1,2}`), 1, 3).Draw(t, "stop"))
	study := map[string]any{"study": "drawn", "seed": rapid.IntRange(0, 1000).Draw(t, "seed"), "models": models,
		"datasets": []map[string]any{set, question}, "cascades": []map[string]any{{"models": []string{"student", "master"}}},
		"cost": map[string]any{"model": rapid.SampledFrom([]string{"fixed", "tokens", "latency"}).Draw(t, "cost model")}}
	maybe(study, "policy", map[string]any{"target": share.Draw(t, "target"), "multi": rapid.Bool().Draw(t, "multi")})
	maybe(study, "baselines", []map[string]any{{"kind": "random", "p": share.Draw(t, "p")}})
	return study
}

func encode(t interface{ Fatal(...any) }, tree map[string]any, indent string) string {
	var b bytes.Buffer
	e := toml.NewEncoder(&b)
	e.Indent = indent
	if err := e.Encode(tree); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A study has one hash however it is written down.
func TestHashIsOfTheMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := draw(t)
		first := encode(t, tree, "")
		want, err := hashOf(first)
		if err != nil {
			t.Fatalf("%s\n%v", first, err)
		}
		for _, other := range []string{encode(t, tree, "    "),
			"# a comment\n\n" + strings.ReplaceAll(first, "\n\n", "\n# another\n\n"), "\xef\xbb\xbf" + first} {
			got, err := hashOf(other)
			if err != nil {
				t.Fatalf("%s\n%v", other, err)
			}
			if got != want {
				t.Fatalf("hash %s of\n%s\nbut %s of\n%s", want, first, got, other)
			}
		}
	})
}

// What changes the meaning changes the hash; writing out a default does not.
func TestHashSeesEveryOption(t *testing.T) {
	small := small(t, "")
	base, err := hashOf(small)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		old, new string
		same     bool
	}{
		{old: `study = "small"`, new: `study = "other"`},
		{old: `study = "small"`, new: "study = \"small\"\nseed = 1"},
		{old: `study = "small"`, new: "study = \"small\"\nseed = 0", same: true},
		{old: `name = "student"` + "\n", new: "name = \"student\"\nid = \"acme\"\n"},
		{old: `name = "student"` + "\n", new: "name = \"student\"\nid = \"student\"\n", same: true},
		{old: `../files/student`, new: `../files/master`},
		{old: `"builtin:reviews"`, new: "\"builtin:reviews\"\nlimit = 10"},
		{old: `"builtin:reviews"`, new: "\"builtin:reviews\"\nprompt = \"{text}\""},
		{old: `"builtin:reviews"`, new: "\"builtin:reviews\"\ntask = \"classification\"", same: true},
		{old: `"builtin:reviews"`, new: "\"builtin:reviews\"\nmetrics = [\"f1-macro\", \"accuracy\"]"},
		{old: "[[cascades]]", new: "[policy]\ntarget = \"student\"\n[[cascades]]"},
		{old: "[[cascades]]", new: "[policy]\ntarget = \"best\"\n[[cascades]]", same: true},
		{old: "[[cascades]]", new: "[[baselines]]\nkind = \"random\"\np = 0.4\n[[cascades]]"},
		{old: "[[cascades]]", new: "[[baselines]]\nkind = \"all\"\n[[cascades]]", same: true},
		{old: "[[cascades]]", new: "[report]\nlevel = 0.9\n[[cascades]]"},
		{old: "[[cascades]]", new: "[report]\nlayout = \"paper\"\ntitles = { sst-2 = \"SST-2\" }\n[[cascades]]", same: true},
		{old: "[[cascades]]", new: "[report]\npage = false\ntexts = \"1kB\"\n[[cascades]]", same: true},
		{old: "[[cascades]]", new: "[[models]]\nname = \"unused\"\nbackend = \"local\"\npath = " +
			"\"../files/student\"\n[[cascades]]", same: true},
	} {
		text := strings.Replace(small, test.old, test.new, 1)
		got, err := hashOf(text)
		if err != nil {
			t.Errorf("%s\n%v", text, err)
		} else if (got == base) != test.same {
			t.Errorf("%q for %q: hash the same is %v, want %v", test.new, test.old, got == base, test.same)
		}
	}
	// The words of a program that grades count, and how long it may be silent does not.
	program := "study = \"p\"\nmodels = [{ name = \"a\", backend = \"local\", path = \"../files/student\" }, { name = " +
		"\"b\", backend = \"local\", path = \"../files/master\" }]\ncascades = [{ models = [\"a\", \"b\"] }]\n" +
		"[[datasets]]\nname = \"q\"\nsource = \"file:../files/questions.jsonl\"\ntask = \"qa\"\nprompt = \"{question}\"\n" +
		"correct = { rule = \"command\", command = [\"sh\", \"a.sh\"]%s }\n"
	for more, same := range map[string]bool{"": true, `, timeout = "5s"`: true, `, tau = 0.5`: false} {
		plain, err := hashOf(fmt.Sprintf(program, ""))
		got, other := hashOf(fmt.Sprintf(program, more))
		if err != nil || other != nil || (got == plain) != same {
			t.Errorf("a program with %q: the hash is the same is %v (%v, %v)", more, got == plain, err, other)
		}
	}
	words, err := hashOf(strings.Replace(fmt.Sprintf(program, ""), "a.sh", "b.sh", 1))
	if plain, _ := hashOf(fmt.Sprintf(program, "")); err != nil || words == plain {
		t.Errorf("another program has the same hash (%v)", err)
	}
	// 0.9 and 0.90 are one budget.
	a, errA := hashOf(small + "[policy]\ntarget = 0.9\n")
	b, errB := hashOf(small + "[policy]\ntarget = 0.90\n")
	if errA != nil || errB != nil || a != b || a == base {
		t.Errorf("targets 0.9 and 0.90: %s and %s (%v, %v)", a, b, errA, errB)
	}
}
