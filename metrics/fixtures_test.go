package metrics_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"infnet/metrics"
)

// The expected values are those of the reference tools, in versions that each
// fixture names; testdata/make_fixtures.py wrote them.

func unzip(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type textFixture struct {
	Versions   map[string]string
	Signatures []string
	Cases      []textCase
	Corpora    []struct {
		First, Last int
		BLEU, ChrF  float64
	}
}

type textCase struct {
	Answer                     string
	References                 []string
	Rouge1, Rouge2, RougeL     float64
	RougeLFirst                float64
	SQuAD                      string
	RougeTokens, Tokens13a     []string
	BLEU, ChrF, Exact, TokenF1 float64
}

func texts(t *testing.T) textFixture {
	var f textFixture
	if err := json.Unmarshal(unzip(t, "texts.json.gz"), &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Cases) < 300 || f.Versions["sacrebleu"] == "" {
		t.Fatalf("fixture holds %d cases", len(f.Cases))
	}
	return f
}

func near(a, b, tolerance float64) bool { return a-b <= tolerance && b-a <= tolerance }

func TestStemEqualsNLTK(t *testing.T) {
	lines, wrong := bufio.NewScanner(strings.NewReader(string(unzip(t, "stems.tsv.gz")))), 0
	n := 0
	for lines.Scan() {
		word, want, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			continue // the heading
		}
		n++
		if got := metrics.Stem(word); got != want {
			if wrong++; wrong <= 20 {
				t.Errorf("stem of %q is %q, want %q", word, got, want)
			}
		}
	}
	if n < 9000 {
		t.Fatalf("only %d words in the fixture", n)
	}
}

func TestTextScoresEqualTheReferenceTools(t *testing.T) {
	for _, c := range texts(t).Cases {
		if got := metrics.RougeTokens(c.Answer); !slices.Equal(got, c.RougeTokens) {
			t.Errorf("ROUGE tokens of %q are %q, want %q", c.Answer, got, c.RougeTokens)
		}
		if got := metrics.Tokens13a(c.Answer); !slices.Equal(got, c.Tokens13a) {
			t.Errorf("13a tokens of %q are %q, want %q", c.Answer, got, c.Tokens13a)
		}
		if got := metrics.NormaliseSQuAD(c.Answer); got != c.SQuAD {
			t.Errorf("%q normalises to %q, want %q", c.Answer, got, c.SQuAD)
		}
		for _, s := range []struct {
			name      metrics.Name
			want      float64
			tolerance float64
		}{
			{metrics.Rouge1, c.Rouge1, 0}, {metrics.Rouge2, c.Rouge2, 0}, {metrics.RougeL, c.RougeL, 0}, {metrics.RougeLFirst,
				c.RougeLFirst, 0},
			{metrics.ExactMatch, c.Exact, 0}, {metrics.TokenF1, c.TokenF1, 1e-6}, // torchmetrics computes in float32
			{metrics.BLEU, c.BLEU, 1e-10}, {metrics.ChrF, c.ChrF, 1e-10},
		} {
			m, err := metrics.Get(s.name)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Score(c.Answer, c.References); !near(got, s.want, s.tolerance) {
				t.Errorf("%s of %q against %q is %v, want %v", s.name, c.Answer, c.References, got, s.want)
			}
		}
	}
}

// corpus is a metric over many records: Value of the summed statistics.
func corpus(m metrics.Metric, answers []string, references [][]string) float64 {
	sums := make([]float64, m.Width)
	for i, a := range answers {
		for j, v := range m.Sums(a, references[i]) {
			sums[j] += v
		}
	}
	return m.Value(sums)
}

func TestCorpusScoresEqualSacreBLEU(t *testing.T) {
	f := texts(t)
	for _, part := range f.Corpora {
		var answers []string
		var references [][]string
		for _, c := range f.Cases[part.First:part.Last] {
			answers, references = append(answers, c.Answer), append(references, c.References)
		}
		for name, want := range map[metrics.Name]float64{metrics.BLEU: part.BLEU, metrics.ChrF: part.ChrF} {
			m, err := metrics.Get(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := corpus(m, answers, references); !near(got, want, 1e-10) {
				t.Errorf("%s of records %d to %d is %v, want %v", name, part.First, part.Last, got, want)
			}
		}
	}
	for i, name := range []metrics.Name{metrics.BLEU, metrics.ChrF} {
		m, err := metrics.Get(name)
		want := strings.Replace(f.Signatures[i], "nrefs:1", "nrefs:var", 1)
		if err != nil || !strings.Contains(m.Source, want) {
			t.Errorf("signature %q, want %q (%v)", m.Source, want, err)
		}
	}
}

func TestF1EqualsScikitLearn(t *testing.T) {
	var f struct {
		Cases []struct {
			K           int
			Truth, Pred []int
			Accuracy    float64
			Scores      []struct {
				Average  metrics.Average
				Zero, F1 float64
				All      bool
			}
		}
	}
	if err := json.Unmarshal(unzip(t, "classes.json.gz"), &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Cases) < 20 {
		t.Fatalf("fixture holds %d cases", len(f.Cases))
	}
	for i, c := range f.Cases {
		counts := confusion(c.Truth, c.Pred, c.K)
		if got := metrics.AccuracyOf(metrics.Confusion{K: c.K}, counts); !near(got, c.Accuracy, 1e-15) {
			t.Errorf("case %d: accuracy %v, want %v", i, got, c.Accuracy)
		}
		for _, s := range c.Scores {
			whole := metrics.Confusion{K: c.K}
			labels := counts // those that occur
			if s.All {
				labels = slices.Repeat([]float64{1}, c.K*c.K)
			}
			if s.Zero != 0 {
				continue // ours is 0
			}
			got := metrics.F1On(s.Average)(whole, labels)(whole, counts)
			if !near(got, s.F1, 1e-12) {
				t.Errorf("case %d, %s, all labels %v: %v, want %v", i, s.Average, s.All, got, s.F1)
			}
		}
	}
}
