package figure

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/result"
)

func TestClassNames(t *testing.T) {
	const long = "a class whose name is far too long, "
	for _, c := range []struct {
		name    string
		classes []string
		want    []string
		note    string
	}{
		{name: "ordinary", classes: []string{"good", "naïve café", "β"}, want: []string{"good", "naïve café", "β"}},
		{name: "letters the typeface lacks", classes: []string{"good", "情感", "🙂"},
			want: []string{"good", "class 2", "class 3"},
			note: "In the order of the labels, class 2 is “情感”; class 3 is “🙂”."},
		{name: "names that begin alike", classes: []string{long + "one", "good", long + "two"},
			want: []string{"class 1", "good", "class 3"},
			note: "In the order of the labels, class 1 is “" + long + "one”; class 3 is “" + long + "two”."},
		{name: "no name", classes: []string{" ", "good"}, want: []string{"class 1", "good"},
			note: "In the order of the labels, class 1 is “”."},
	} {
		var b result.Boundaries
		for _, k := range c.classes {
			b.Classes = append(b.Classes, result.Boundary{Class: k})
		}
		names, note := classNames(&b)
		if diff := cmp.Diff(c.want, names); diff != "" || note != c.note {
			t.Errorf("%s: (-want +got)\n%s\nnote %q", c.name, diff, note)
		}
	}
}

// A class is named in a figure of every format, whatever its letters.
func TestFiguresNameEveryClass(t *testing.T) {
	s := study()
	b := s.Cascades[0].Datasets[0].Boundaries
	b.Classes[0].Class = "情感正面"
	var notes []string
	for _, f := range Figures(s) {
		notes = append(notes, f.Notes...)
	}
	if text := strings.Join(notes, "\n"); !strings.Contains(text, "class 1 is “情感正面”") {
		t.Errorf("the figures do not say what class 1 is:\n%s", text)
	}
}

func TestEnds(t *testing.T) {
	for name, want := range map[string]string{
		"tiny-student":                        "tiny-student",
		"meta-llama-Llama-3.1-8B-Instruct":    "meta-llama-…-8B-Instruct",
		"meta-llama-Llama-3.1-70B-Instruct-x": "meta-llama-…B-Instruct-x",
	} {
		if got := ends(name); got != want {
			t.Errorf("%q is cut to %q, want %q", name, got, want)
		}
	}
}

// A range of neighbouring numbers has no round places, and looking for them
// ends: confidences may all be 1 or the number before it.
func TestTicksOfNarrowRanges(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		some      bool
	}{
		{low: 1, high: math.Nextafter(1, 2)}, {low: 1e17, high: 1e17 + 16}, {low: -5e-324, high: 5e-324}, {low: -1e308,
			high: 1e308},
		{low: 1 - 1e-9, high: 1, some: true}, {low: 0, high: 1e-20, some: true}, {low: -1e12, high: 1e12, some: true},
	} {
		if got := round(c.low, c.high, mostTicks); len(got) > mostTicks || (len(got) > 0) != c.some {
			t.Errorf("[%v, %v] has ticks %v", c.low, c.high, got)
		}
	}
}
