package question

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/spec"
	"infnet/metrics/extract"
)

// items are records of 20 texts: 0 and 10 have one text, and 3, 4 and 5 are one group.
func items(t *testing.T, n int) *Sheet {
	t.Helper()
	var all []dataset.Example
	for i := range n {
		e := dataset.Example{ID: fmt.Sprint("r", i), Row: i + 1, Class: i % 2,
			Fields: map[string]string{"item": fmt.Sprint(i % 10)}}
		if i >= 10 {
			e.Fields["item"] = fmt.Sprint(i)
		}
		if i == 10 {
			e.Fields["item"] = "0"
		}
		if i >= 3 && i <= 5 {
			e.Group = "g"
		}
		all = append(all, e)
	}
	d, _ := study(t).Dataset("colours")
	set, err := dataset.New("colours", all)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(d, set)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ids(s *Sheet) (out []string) {
	for _, e := range s.Set.Examples {
		out = append(out, e.ID)
	}
	return out
}

// Drawn records are of the fit part, and leave with their group and their text. Whatever the seed.
func TestDrawnExamplesLeave(t *testing.T) {
	withGroup, withText := false, false
	for seed := range uint64(40) {
		before := items(t, 20)
		parts, err := before.Split(seed, 0)
		if err != nil {
			t.Fatal(err)
		}
		hash := before.Set.Hash
		s := items(t, 20)
		s.Dataset.Examples = spec.Examples{N: 3}
		if err := s.Show(seed); err != nil {
			t.Fatal(err)
		}
		out := map[string]bool{} // the prompts and groups shown, from the records as they were
		groups := map[string]bool{}
		for _, x := range s.shown {
			i := slices.IndexFunc(parts.Fit, func(i int) bool { return before.rendered(i) == x.Prompt })
			if i < 0 {
				t.Fatalf("seed %d: %q is not of the fit part", seed, x.Prompt)
			}
			if e := before.Set.Examples[parts.Fit[i]]; out[x.Prompt] || e.Group != "" && groups[e.Group] {
				t.Fatalf("seed %d: two examples of one text or group: %v", seed, s.shown)
			} else if out[x.Prompt] = true; e.Group != "" {
				groups[e.Group] = true
			}
		}
		var want []string
		for i, e := range before.Set.Examples {
			if !out[before.rendered(i)] && !groups[e.Group] {
				want = append(want, e.ID)
			}
		}
		if diff := cmp.Diff(want, ids(s)); diff != "" {
			t.Fatalf("seed %d: what is left (-want +got)\n%s", seed, diff)
		}
		if n := 20 - len(want); s.Set.Shown != n || n < 3 || s.Set.Hash == hash {
			t.Fatalf("seed %d: %d left out, counted as %d, hash %s", seed, n, s.Set.Shown, s.Set.Hash)
		}
		withGroup, withText = withGroup || groups["g"], withText || out["Item 0 {sic}:"]
		if _, err := s.Split(seed, 0); err != nil {
			t.Fatal(err)
		}
	}
	if !withGroup || !withText {
		t.Error("no seed drew a record of the group, or of the text that is there twice")
	}
}

// More examples begin with the same ones; another seed draws others; too many are an error.
func TestDrawing(t *testing.T) {
	draw := func(seed uint64, n int) []backends.Example {
		s := items(t, 20)
		s.Dataset.Examples = spec.Examples{N: n}
		if err := s.Show(seed); err != nil {
			t.Fatal(err)
		}
		return s.shown
	}
	if a, b := draw(7, 2), draw(7, 5); !slices.Equal(a, b[:2]) {
		t.Errorf("2 are %v, 5 begin with %v", a, b[:2])
	}
	if slices.Equal(draw(7, 5), draw(8, 5)) {
		t.Error("two seeds draw the same")
	}
	s := items(t, 20)
	s.Dataset.Examples = spec.Examples{N: 17}
	if err := s.Show(7); err == nil || !strings.Contains(err.Error(), "to show, of different texts and groups") {
		t.Errorf("17 of a fit part of 16 records: %v", err)
	}
}

// Turns in chats, text in mode raw; the keys of a study without them are what they were.
func TestShown(t *testing.T) {
	id := backends.ModelID{ID: "m", Revision: "r", Kind: backends.Simulated}
	raw, chat := &spec.Model{Mode: backends.Raw}, &spec.Model{Mode: backends.Chat, System: "the model's"}
	s := items(t, 20)
	if err := s.Show(1); err != nil {
		t.Fatal(err)
	}
	// what the commit before this key made of the same two requests
	for _, c := range []struct {
		m    *spec.Model
		want string
	}{
		{raw, "6af47ac9e0eba36ebaa98272991af892c47825ab9a838a9046fe01a0432c9c4a"},
		{chat, "43952e271e546dc0e964f0b973ac9654552355f225a71d1f72a3d89d659f0e03"},
	} {
		if got := s.Request(3, id, c.m).Key().String(); got != c.want {
			t.Errorf("mode %s: key %s, want %s", c.m.Mode, got, c.want)
		}
	}
	s.Dataset.System = "the dataset's"
	s.Dataset.Examples = spec.Examples{Listed: []spec.Shown{
		{Fields: map[string]string{"item": "{x}"}, Answer: "red"}, {Fields: map[string]string{"item": "y"}, Answer: "blue"}}}
	if err := s.Show(1); err != nil || s.Len() != 20 {
		t.Fatal(err, s.Len())
	}
	labels := []string{" red", " blue"}
	want := backends.Request{Model: id, Mode: backends.Chat, System: "the dataset's", Prompt: "Item 3 {sic}:",
		Labels:   labels,
		Examples: []backends.Example{{Prompt: "Item {x} {sic}:", Answer: "red"}, {Prompt: "Item y {sic}:", Answer: "blue"}}}
	if diff := cmp.Diff(want, s.Request(3, id, chat)); diff != "" {
		t.Errorf("chat (-want +got)\n%s", diff)
	}
	want = backends.Request{Model: id, Mode: backends.Raw, Labels: labels,
		Prompt: "Item {x} {sic}: red\n\nItem y {sic}: blue\n\nItem 3 {sic}:"}
	if diff := cmp.Diff(want, s.Request(3, id, raw)); diff != "" {
		t.Errorf("raw (-want +got)\n%s", diff)
	}
}

// Examples whose answers the dataset's own place of the answer does not hold would teach models to be wrong.
func TestShownAnswersAreFound(t *testing.T) {
	for _, c := range []struct {
		answer []extract.Way
		shown  string
		want   string // "" = none
	}{
		{[]extract.Way{"boxed"}, "42", `"42", in which answer = ["boxed"] finds none`},
		{[]extract.Way{"boxed"}, `6 · 7 = \boxed{42}`, ""},
		{[]extract.Way{"boxed", "last-number"}, "42", ""},
		{nil, "42", ""},
	} {
		s, err := sheet(t, "phrases", map[string]string{"en": "x"})
		if err != nil {
			t.Fatal(err)
		}
		d := *s.Dataset
		d.Answer = c.answer
		d.Examples = spec.Examples{Listed: []spec.Shown{{Fields: map[string]string{"en": "y"}, Answer: c.shown}}}
		if s, err = New(&d, s.Set); err != nil {
			t.Fatal(err)
		}
		if err = s.Show(1); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q shown with %v: %v", c.shown, c.answer, err)
		}
	}
}
