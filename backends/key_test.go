package backends_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/backends"
)

// Keys are for ever: answers on disk are found by them. The values were worked
// out in Python (hashlib, struct) from the layouts in key.go.
func TestKeysAreForEver(t *testing.T) {
	served := backends.Request{
		Model: backends.ModelID{ID: "acme/large", Revision: "r1", Kind: backends.OpenAI}, Mode: backends.Chat,
		Prompt: "Is it red?", Labels: []string{" yes", " no"}, LabelMode: backends.LabelsTopLogprobs, Served: "large",
	}
	before := served
	before.Served = ""
	local := backends.Request{
		Model: backends.ModelID{ID: "m", Kind: backends.Local}, Mode: backends.Raw,
		Prompt: "Once", MaxTokens: 9, Stop: []string{"\n"}, Seed: 7, TopLogprobs: 3,
	}
	all := local
	all.Served, all.System, all.Template = "s", "Be brief.", "{{x}}"
	all.Examples = []backends.Example{{Prompt: "1+1=", Answer: "2"}, {Prompt: "2+2=", Answer: "4"}}
	all.Settings = []backends.Setting{{Name: "quant", Value: "awq"}, {Name: "dtype", Value: "float16"}}
	drawn := local
	drawn.Sampling = backends.Sampling{Temperature: 0.7}
	for _, test := range []struct {
		name string
		r    backends.Request
		want string
	}{
		{"version 2, a sample", drawn, "be316f62d007e357bfbdc35007e4de73114f2cf3ccc10c4934346d275681b014"},
		{"version 1, a classification", before, "2683bf9489eefb23058273c69c41dbd29e9016294c2fe699b4e7a81f3b1543a6"},
		{"version 1, a generation", local, "f6854a122625a3d4cc00b46dfe7a64e306dc58ee60eb7c148b86c6e8db2943a7"},
		{"version 2, the served name", served, "bdddaf710c476de60a0241ef3f66944a58dc04137ac4d05a978ec292b4a58b95"},
		{"version 2, everything", all, "c3b3c8e6d87d89242a080ee063802272e290a5d953cfe05401602d10b0075a01"},
	} {
		if got := test.r.Key().String(); got != test.want {
			t.Errorf("%s: key %s, want %s", test.name, got, test.want)
		}
	}
}

// Two requests have one key exactly where they ask the same: texts do not run
// into one another, and neither do fields; a field that is set counts.
func TestKeysDoNotCollide(t *testing.T) {
	word := rapid.SampledFrom([]string{"", "a", "b", "ab", "served", "system", "a\x00",
		"\x01\x00\x00\x00\x00\x00\x00\x00a"})
	words := rapid.SliceOfN(word, 0, 3)
	draw := func(t *rapid.T) backends.Request {
		r := backends.Request{
			Model: backends.ModelID{ID: word.Draw(t, "id"), Revision: word.Draw(t, "revision"),
				Kind: backends.Kind(word.Draw(t, "kind"))},
			Mode: backends.Mode(word.Draw(t, "mode")), Prompt: word.Draw(t, "prompt"), Labels: words.Draw(t,
				"labels"), Stop: words.Draw(t, "stop"),
			MaxTokens: rapid.IntRange(0, 2).Draw(t, "max"), Seed: rapid.Uint64Range(0, 2).Draw(t,
				"seed"), TopLogprobs: rapid.IntRange(0, 2).Draw(t, "top"),
			LabelMode: backends.LabelMode(word.Draw(t, "label mode")),
			Served:    word.Draw(t, "served"), System: word.Draw(t, "system"), Template: word.Draw(t, "template"),
			Sampling: backends.Sampling{Temperature: rapid.Float64Range(0, 2).Draw(t, "temperature")},
		}
		for _, w := range words.Draw(t, "examples") {
			r.Examples = append(r.Examples, backends.Example{Prompt: w, Answer: word.Draw(t, "answer")})
		}
		for _, w := range words.Draw(t, "settings") {
			r.Settings = append(r.Settings, backends.Setting{Name: w, Value: word.Draw(t, "value")})
		}
		return r
	}
	// asks spells a request out without any hash.
	asks := func(r backends.Request) string {
		settings := slices.Clone(r.Settings)
		slices.SortFunc(settings, func(a, b backends.Setting) int {
			return slices.Compare([]string{a.Name, a.Value}, []string{b.Name, b.Value})
		})
		r.Settings = nil
		return fmt.Sprintf("%q %q %q %q %q %d %d %d %q %q %q %q %q %q %v", r.Model, r.Mode, r.Prompt, r.Labels, r.Stop,
			r.MaxTokens, r.Seed, r.TopLogprobs,
			r.LabelMode, r.Served, r.System, r.Examples, r.Template, settings, r.Sampling)
	}
	rapid.Check(t, func(t *rapid.T) {
		a := draw(t)
		b := a
		// Often all but a few fields are equal: what is beside one another then runs together where it can.
		other := draw(t)
		switch rapid.IntRange(0, 6).Draw(t, "change") {
		case 0:
			b = other
		case 1:
			b.Served, b.System = other.Served, other.System
		case 2:
			b.Template, b.Settings = other.Template, other.Settings
		case 3:
			b.Labels, b.Stop = other.Labels, other.Stop
		case 4:
			b.Examples, b.Template = other.Examples, other.Template
		case 5:
			b.Settings = slices.Clone(b.Settings)
			slices.Reverse(b.Settings)
		case 6:
			b.LabelMode, b.Served = other.LabelMode, other.Served
		}
		if same, one := asks(a) == asks(b), a.Key() == b.Key(); same != one {
			t.Fatalf("the same question: %v, the same key: %v\n%s\n%s", same, one, asks(a), asks(b))
		}
	})
}

// Every field that version 2 brought changes the key once it is set, and
// carries it to version 2; empty ones leave the key of before.
func TestEmptyFieldsHashToNothing(t *testing.T) {
	plain := backends.Request{Model: backends.ModelID{ID: "m"}, Prompt: "p", MaxTokens: 3}
	empty := plain
	empty.Examples, empty.Settings = []backends.Example{}, []backends.Setting{}
	if plain.Key() != empty.Key() {
		t.Error("empty lists change the key")
	}
	seen := map[backends.Key]string{plain.Key(): "none"}
	for name, set := range map[string]func(*backends.Request){
		"served":   func(r *backends.Request) { r.Served = "x" },
		"system":   func(r *backends.Request) { r.System = "x" },
		"template": func(r *backends.Request) { r.Template = "x" },
		"examples": func(r *backends.Request) { r.Examples = []backends.Example{{}} },
		"settings": func(r *backends.Request) { r.Settings = []backends.Setting{{Name: "x"}} },
		"sampling": func(r *backends.Request) { r.Sampling.Temperature = 1 },
	} {
		r := plain
		set(&r)
		if other, ok := seen[r.Key()]; ok {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[r.Key()] = name
		if f := backends.Carries(r); f == nil || f.Temporary() {
			t.Errorf("%s is carried by a backend that carries nothing: %v", name, f)
		}
	}
	if f := backends.Carries(plain); f != nil {
		t.Errorf("a request with nothing to carry: %v", f)
	}
}
