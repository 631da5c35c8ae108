package metrics_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/metrics"
)

// The definitions, as plainly as they can be written, are the expected values here.

var (
	symbols13a = regexp.MustCompile("[{-~[-` -&(-+:-@/]")
	after13a   = regexp.MustCompile(`([^0-9])([.,])`)
	before13a  = regexp.MustCompile(`([.,])([^0-9])`)
	dash13a    = regexp.MustCompile(`([0-9])(-)`)
)

// naive13a follows mteval-v13a substitution by substitution.
func naive13a(s string) []string {
	separator := func(r rune) bool { return r >= 0x1c && r <= 0x1f || strings.TrimSpace(string(r)) == "" }
	s = strings.TrimRightFunc(s, separator)
	for _, r := range [][2]string{{"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", `"`}, {"&amp;", "&"},
		{"&lt;", "<"}, {"&gt;", ">"}} {
		s = strings.ReplaceAll(s, r[0], r[1])
	}
	s = symbols13a.ReplaceAllString(" "+s+" ", " $0 ")
	s = after13a.ReplaceAllString(s, "$1 $2 ")
	s = before13a.ReplaceAllString(s, " $1 $2")
	s = dash13a.ReplaceAllString(s, "$1 $2 ")
	return strings.FieldsFunc(s, separator)
}

// naiveCommon counts the n-grams of a that references have, each at most as often as one has it.
func naiveCommon(a []string, references [][]string, n int) (common int) {
	count := func(tokens []string) map[string]int {
		out := map[string]int{}
		for i := 0; i+n <= len(tokens); i++ {
			out[strings.Join(tokens[i:i+n], "\x00")]++
		}
		return out
	}
	most := map[string]int{}
	for _, r := range references {
		for g, c := range count(r) {
			most[g] = max(most[g], c)
		}
	}
	for g, c := range count(a) {
		common += min(c, most[g])
	}
	return common
}

func naiveSubsequence(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if row[j+1] = max(above, row[j]); x == y {
				row[j+1] = diagonal + 1
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// text draws texts of few tokens, so that n-grams repeat, with what tokenizers trip over.
func text(t *rapid.T, name string) string {
	pieces := []string{"a", "b", "running", "ran", "Σ", "é", "İ", "𝔸", "1", "2019", ".", ",", "-", "'", "&amp;lt;",
		"&quot;", "<skipped>", "\n", "-\n", " ", " ", " ", "  ", "\u00a0", "\x1c", "/", "%", "\xff", "..", ",.", "3.5", "K"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 90).Draw(t, name), "")
}

func TestAgainstDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answer := text(t, "answer")
		var references []string
		for range rapid.IntRange(0, 3).Draw(t, "references") {
			references = append(references, text(t, "reference"))
		}
		mine := naive13a(answer)
		if got := metrics.Tokens13a(answer); !slices.Equal(got, mine) {
			t.Fatalf("13a tokens of %q are %q, want %q", answer, got, mine)
		}
		var theirs [][]string
		for _, r := range references {
			theirs = append(theirs, naive13a(r))
		}
		sums := metrics.BLEUStatistics(answer, references)
		for n := 1; n <= 4; n++ {
			if want := naiveCommon(mine, theirs, n); int(sums[1+n]) != want {
				t.Fatalf("%d common %d-grams, want %d", int(sums[1+n]), n, want)
			}
			if want := max(0, len(mine)-n+1); int(sums[5+n]) != want {
				t.Fatalf("%d %d-grams, want %d", int(sums[5+n]), n, want)
			}
		}
		for _, r := range references {
			against(t, answer, r)
		}
	})
}

// against checks the scores that look at one reference.
func against(t *rapid.T, answer, reference string) {
	split := func(s string) []string {
		var out []string
		for _, r := range s {
			if s := string(r); strings.TrimSpace(s) != "" && (r < 0x1c || r > 0x1f) {
				out = append(out, s)
			}
		}
		return out
	}
	a, b := split(answer), split(reference)
	sums := metrics.ChrFStatistics(answer, []string{reference})
	for n := 1; n <= 6 && slices.Max(sums) > 0; n++ {
		if want := naiveCommon(a, [][]string{b}, n); int(sums[3*n-1]) != want {
			t.Fatalf("%d common %d-grams of characters, want %d", int(sums[3*n-1]), n, want)
		}
	}
	a, b = metrics.RougeTokens(answer), metrics.RougeTokens(reference)
	f1 := func(common, m, n int) float64 {
		if common == 0 {
			return 0
		}
		p, r := float64(common)/float64(m), float64(common)/float64(n)
		return 2 * p * r / (p + r)
	}
	for name, want := range map[metrics.Name]float64{
		metrics.RougeL: f1(naiveSubsequence(a, b), len(a), len(b)),
		metrics.Rouge1: f1(naiveCommon(a, [][]string{b}, 1), len(a), len(b)),
		metrics.Rouge2: f1(naiveCommon(a, [][]string{b}, 2), len(a)-1, len(b)-1),
	} {
		m, err := metrics.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Score(answer, []string{reference}); !near(got, want, 1e-15) {
			t.Fatalf("%s is %v, want %v", name, got, want)
		}
	}
}
