package builtin

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/dataset"
	"infnet/harness/seed"
)

var update = flag.Bool("update", false, "write the golden files anew")

func draw(t *testing.T, s Source, stream Stream, sd uint64, n int) []dataset.Example {
	t.Helper()
	rows, err := s.Examples(stream, sd, n)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != n {
		t.Fatalf("%s: %d rows, want %d", s.Name, len(rows), n)
	}
	return rows
}

// text is what makes a row of a task itself.
func text(s Source, e dataset.Example) string {
	return normal(e.Fields[s.Fields[0]])
}

func TestSameSeedSameRowsAndLongerBeginsWithShorter(t *testing.T) {
	for _, s := range Sources() {
		for _, stream := range []Stream{Study, Train} {
			long := draw(t, s, stream, 42, 600)
			short := draw(t, s, stream, 42, 250)
			if d := cmp.Diff(long[:250], short); d != "" {
				t.Errorf("%s %s: a longer draw does not begin with the shorter: %s", s.Name, stream, d)
			}
			other := draw(t, s, stream, 43, 250)
			if cmp.Equal(short, other) {
				t.Errorf("%s %s: seeds 42 and 43 give the same rows", s.Name, stream)
			}
		}
	}
}

// Rows are numbered, complete, and new in their draw; no text is in both streams, whatever the seeds.
func TestRowsAreNewAndComplete(t *testing.T) {
	for _, s := range Sources() {
		streams := map[string]Stream{}
		for _, d := range []struct {
			stream Stream
			seed   uint64
		}{{Study, 1}, {Study, 42}, {Train, 1}, {Train, 7}} {
			seen := map[string]bool{}
			for i, e := range draw(t, s, d.stream, d.seed, 1500) {
				what := text(s, e)
				if seen[what] || streams[what] != "" && streams[what] != d.stream {
					t.Fatalf("%s: twice in a draw, or in both streams: %q", s.Name, what)
				}
				seen[what], streams[what] = true, d.stream
				for _, f := range append(slices.Clone(s.Fields), "depth") {
					if v := e.Fields[f]; v == "" || strings.ContainsAny(v, "{}_\n") || strings.Contains(v, "  ") {
						t.Fatalf("%s: row %d: no %s, a slot was left open or a space is double: %q", s.Name, e.Row, f, v)
					}
				}
				classified := e.Class >= 0 && e.Class < len(s.Labels) && len(e.References) == 0
				answered := e.Class == -1 && len(e.References) == 1 && e.References[0] != ""
				if e.Row != i+1 || classified != (s.Task == "classification") || !classified && !answered {
					t.Fatalf("%s: row %d: row %d, class %d, references %q", s.Name, i+1, e.Row, e.Class, e.References)
				}
			}
		}
	}
}

// Labels and depths are drawn evenly and by weight. The bounds are five standard deviations of a binomial share at
// 4,000 rows: 5·sqrt(p(1-p)/4000) is below 4 points for any p.
func TestLabelsAndDepthsKeepTheirShares(t *testing.T) {
	const n, bound = 4000, 0.04
	for _, s := range Sources() {
		labels, depths := map[int]float64{}, map[string]float64{}
		for _, e := range draw(t, s, Study, 5, n) {
			labels[e.Class] += 1.0 / n
			depths[e.Fields["depth"]] += 1.0 / n
		}
		for c := range s.Labels {
			if want := 1 / float64(len(s.Labels)); labels[c] < want-bound || labels[c] > want+bound {
				t.Errorf("%s: label %s has a share of %.3f, want %.3f ± %.2f", s.Name, s.Labels[c].Class, labels[c], want, bound)
			}
		}
		total := 0
		for _, w := range s.Depths {
			total += w
		}
		for d, w := range s.Depths {
			want, got := float64(w)/float64(total), depths[fmt.Sprint(d)]
			if got < want-bound || got > want+bound {
				t.Errorf("%s: depth %d has a share of %.3f, want %.3f ± %.2f", s.Name, d, got, want, bound)
			}
		}
	}
}

// An answer stands in its passage, and its question does not give it away. At depth 0 a passage tells one home, one job
// and one thing, of three people, so that the kind of the question decides.
func TestLookupsHaveOneAnswer(t *testing.T) {
	s := lookup.Source
	s.write = writeLookup
	easy := 0
	for _, e := range draw(t, s, Study, 3, 3000) {
		context, question := e.Fields["context"], e.Fields["question"]
		if !strings.Contains(context, e.References[0]) || strings.Contains(question, e.References[0]) {
			t.Fatalf("answer %q to %q does not occur in %q, or in the question", e.References[0], question, context)
		}
		if e.Fields["depth"] != "0" {
			continue
		}
		easy++
		people := map[string]bool{}
		facts := strings.Split(strings.TrimSuffix(context, "."), ". ")
		for _, f := range facts {
			people[strings.Fields(f)[0]] = true
		}
		if len(facts) != 3 || len(people) != 3 {
			t.Fatalf("%d facts of %d people: %q", len(facts), len(people), context)
		}
	}
	if easy < 600 {
		t.Fatalf("%d rows of depth 0 in 3,000", easy)
	}
}

// The expected sentences are by hand, from the tables of any German grammar.
func TestGermanEndings(t *testing.T) {
	boy, cat, child := phrasebook.PersonNouns[1], phrasebook.Animals[2], phrasebook.PersonNouns[12]
	if boy.En != "boy" || cat.En != "cat" || child.En != "child" {
		t.Fatalf("the lexicon moved: %s, %s, %s", boy.En, cat.En, child.En)
	}
	tired, old := pair{"tired", "müde"}, pair{"old", "alt"}
	tests := []struct {
		noun     noun
		det      string
		adj      pair
		in       string
		many     bool
		en, want string
	}{
		{noun: boy, det: "definite", in: "nominative", en: "the boy", want: "der Junge"},
		{noun: boy, det: "indefinite", adj: tired, in: "nominative", en: "a tired boy", want: "ein müder Junge"},
		{noun: boy, det: "indefinite", adj: old, in: "accusative", en: "an old boy", want: "einen alten Jungen"},
		{noun: boy, det: "possessive", adj: old, in: "dative", en: "my old boy", want: "meinem alten Jungen"},
		{noun: cat, det: "definite", adj: tired, in: "accusative", en: "the tired cat", want: "die müde Katze"},
		{noun: cat, det: "indefinite", adj: tired, in: "dative", en: "a tired cat", want: "einer müden Katze"},
		{noun: child, det: "indefinite", adj: old, in: "nominative", en: "an old child", want: "ein altes Kind"},
		{noun: child, det: "definite", adj: old, in: "nominative", en: "the old child", want: "das alte Kind"},
		{noun: child, det: "definite", adj: old, in: "accusative", many: true,
			en: "the old children", want: "die alten Kinder"},
		{noun: child, det: "possessive", in: "dative", many: true, en: "my children", want: "meinen Kindern"},
	}
	for _, c := range tests {
		got := c.noun.inflect(c.det, c.adj, c.in, c.many)
		if want := (pair{c.en, c.want}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A dozen rows to be read, and a hash of 2,000: a changed row changes every study, and what the tiny models were
// trained on.
func TestGolden(t *testing.T) {
	var hashes bytes.Buffer
	for _, s := range Sources() {
		var shown bytes.Buffer
		for _, stream := range []Stream{Study, Train} {
			rows := draw(t, s, stream, 42, 2000)
			fmt.Fprintln(&hashes, s.Name, stream, dataset.Hash(rows))
			for _, e := range rows[:6] {
				line, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				shown.Write(append(line, '\n'))
			}
		}
		golden(t, s.Name+".golden.jsonl", shown.String())
	}
	golden(t, "hashes.golden", hashes.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s: the rows changed: %s", file, d)
	}
}

func TestUnknownNamesAreExplained(t *testing.T) {
	if _, err := Lookup("review"); err == nil || !strings.Contains(err.Error(), `did you mean "reviews"`) {
		t.Errorf("Lookup(review): %v", err)
	}
	if d := cmp.Diff([]string{"reviews", "tickets", "lookup", "phrasebook"}, Names()); d != "" {
		t.Error(d)
	}
	s, err := Lookup("tickets")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Examples("test", 1, 1); err == nil || !strings.Contains(err.Error(), `"study" or "train"`) {
		t.Errorf("unknown stream: %v", err)
	}
	for _, n := range []int{-1, MaxRows + 1} {
		if _, err := s.Examples(Study, 1, n); err == nil {
			t.Errorf("%d rows: no error", n)
		}
	}
}

// A task whose texts run out says so instead of searching for ever.
func TestExhaustionIsAnError(t *testing.T) {
	s, one := reviews.Source, writeReview
	s.Depths = []int{1}
	first := composite{}
	s.write = func(r *rand.Rand, class, depth int) composite {
		if first.key == "" {
			for first = one(r, class, depth); streamOf(seed.Hash(0, "builtin partition", s.Name,
				normal(first.key))) != Study; first = one(r, class, depth) {
			}
		}
		return composite{fields: map[string]string{"text": first.key}, key: first.key}
	}
	_, err := s.Examples(Study, 1, 2)
	if err == nil || !strings.Contains(err.Error(), "no new text left after 1 rows") {
		t.Errorf("got %v", err)
	}
}
