package reports

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/metrics/infer"
)

// nine is a study of many datasets with every kind of verdict.
func nine() *result.Results {
	s := concluded()
	base := s.Cascades[0].Datasets[0]
	s.Cascades[0].Datasets = nil
	for i, x := range headlines[:12] {
		one := concluded()
		c := &one.Cascades[0]
		d := &c.Datasets[0]
		if x.change != nil {
			x.change(parts{s: one, c: c, d: d, ours: &d.Rows[4], master: &d.Rows[1]})
		}
		d.Name = fmt.Sprintf("%s-%d", base.Name, i+1)
		s.Cascades[0].Datasets = append(s.Cascades[0].Datasets, *d)
	}
	return s
}

func TestBrief(t *testing.T) {
	pool := pooled("worth it", infer.Interval{Value: 0.5, Low: 0.25, High: 0.75})
	inPaper := study()
	inPaper.Style.Layout = style.Paper
	for _, c := range []struct {
		name string
		s    *result.Results
		Screen
	}{
		{"brief-120.txt", study(), Screen{Width: 120}},
		{"brief-80.txt", study(), Screen{Width: 80}},
		{"brief-40.txt", study(), Screen{Width: 40}},
		{"brief-80-color.txt", concluded(), Screen{Width: 80, Color: true}},
		{"brief-many-80.txt", nine(), Screen{Width: 80}},
		{"brief-pool-80.txt", pool, Screen{Width: 80}},
		{"brief-paper-120.txt", inPaper, Screen{Width: 120}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Brief(&b, c.s, c.Screen); err != nil {
				t.Fatal(err)
			}
			if c.Width > 0 {
				for line := range strings.SplitSeq(b.String(), "\n") {
					if n := len([]rune(strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(line))); n > c.Width {
						t.Errorf("%d columns: %s", n, line)
					}
				}
			}
			golden(t, c.name, b.Bytes())
		})
	}
}

// What a caveat is about is short: one row with its models, several rows of a dataset by their number.
func TestWhatACaveatIsAbout(t *testing.T) {
	b := brief{s: &result.Results{Cascades: make([]result.Cascade, 3)}, all: []Headline{
		{Dataset: "mmlu", Models: []string{"gpt-4o-mini", "gpt-4o"}},
		{Dataset: "mmlu", Models: []string{"llama3.1-8b", "gpt-4o"}},
		{Dataset: "squad", Models: []string{"llama3.1-8b", "gpt-4o"}},
	}}
	for _, c := range []struct {
		list []int
		want string // by the rule, by hand
	}{
		{[]int{1}, "mmlu (llama3.1-8b → gpt-4o)"},
		{[]int{0, 1}, "mmlu (2 rows)"},
		{[]int{0, 2}, "mmlu (gpt-4o-mini → gpt-4o), squad (llama3.1-8b → gpt-4o)"},
		{[]int{0, 1, 2}, "everywhere"},
	} {
		if got := b.about(c.list); got != c.want {
			t.Errorf("about %v: %q, want %q", c.list, got, c.want)
		}
	}
}
