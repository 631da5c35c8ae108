package metrics_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"infnet/metrics"
	"pgregory.net/rapid"
)

func TestRougeLAgainstTheTextbookTable(t *testing.T) {
	word := rapid.SampledFrom(strings.Split("a b c d e f g", " "))
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(word, 1, 200).Draw(t, "a")
		b := rapid.SliceOfN(word, 1, 200).Draw(t, "b")
		l := float64(lcs(a, b))
		want := 2 * l / float64(len(a)+len(b))
		if got := metrics.ScoreRougeL(strings.Join(a, " "), []string{strings.Join(b, " ")}); !near(got, want, 1e-12) {
			t.Fatalf("ROUGE-L %v, want %v", got, want)
		}
	})
}

// lcs is the textbook table.
func lcs(a, b []string) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			if a[i] == b[j] {
				table[i+1][j+1] = table[i][j] + 1
			} else {
				table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			}
		}
	}
	return table[len(a)][len(b)]
}

// The values of lm-polygraph's PredictionRejectionArea, which is 1 − AURC where the quality is right or wrong and no
// scores are equal (testdata/make_riskcoverage.py, which names the version).
func TestAURCOfLMPolygraph(t *testing.T) {
	data, err := os.ReadFile("testdata/riskcoverage.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Cases []struct {
			Scores         []float64
			Hits           []bool
			RejectionArea  float64 `json:"rejection_area"`
			RejectionOfAll float64 `json:"rejection_area_of_oracle"`
		}
	}
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	for i, c := range f.Cases {
		area, least := metrics.NewRanking(c.Scores, c.Hits).AURC(nil)
		if math.Abs(1-area-c.RejectionArea) > 1e-12 || math.Abs(1-least-c.RejectionOfAll) > 1e-12 {
			t.Errorf("case %d: %v and %v; lm-polygraph has %v and %v", i, 1-area, 1-least, c.RejectionArea, c.RejectionOfAll)
		}
	}
	if len(f.Cases) < 10 {
		t.Errorf("%d cases", len(f.Cases))
	}
}

func TestEveryTextMetricStaysInItsRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answer := rapid.String().Draw(t, "answer")
		references := rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "references")
		for _, m := range metrics.All() {
			if m.Input != metrics.Texts {
				continue
			}
			got := m.Score(answer, references)
			if math.IsNaN(got) || got < m.Low || got > m.High+1e-9 {
				t.Fatalf("%s is %v, outside [%v, %v]", m.Name, got, m.Low, m.High)
			}
			if len(references) == 0 && got != 0 {
				t.Fatalf("%s without references is %v, want 0", m.Name, got)
			}
			if m.Sums != nil && len(m.Sums(answer, references)) != m.Width {
				t.Fatalf("%s has %d statistics, want %d", m.Name, len(m.Sums(answer, references)), m.Width)
			}
		}
	})
}

func TestMacroF1KeepsItsLabelsWhenResampled(t *testing.T) {
	// By hand. Of four classes 0, 1 and 2 occur in the data and 3 does not. On
	// the resample only class 0 occurs, always right: its F1 is 1, those of 1
	// and 2 are 0 by zero_division, and the mean is over three.
	full := confusion([]int{0, 0, 1, 1}, []int{0, 0, 1, 2}, 4)
	m, err := metrics.Get(metrics.F1Macro)
	if err != nil {
		t.Fatal(err)
	}
	four := metrics.Confusion{K: 4}
	value := m.Counts(four, full)
	if got, want := value(four, full), (1+2.0/3+0)/3; !near(got, want, 1e-15) {
		t.Errorf("on the data %v, want %v", got, want)
	}
	if got, want := value(four, confusion([]int{0, 0}, []int{0, 0}, 4)), 1.0/3; !near(got, want, 1e-15) {
		t.Errorf("on the resample %v, want %v", got, want)
	}
	if got := value(four, make([]float64, 16)); got != 0 {
		t.Errorf("on no records %v, want 0", got)
	}
}
