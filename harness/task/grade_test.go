package task

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"infnet/harness/dataset"
	"infnet/metrics"
)

func TestGrade(t *testing.T) {
	texts := func(s ...string) Reference { return Reference{Class: -1, Texts: s} }
	tests := []struct {
		name   string
		o      GraderOptions
		answer Response
		ref    Reference
		want   Grade
	}{
		// Scores by hand, from the definitions in package metrics.
		{"right class", GraderOptions{Kind: Classification, Rule: Label,
			Metrics: []metrics.Name{metrics.Accuracy, metrics.F1Macro}},
			Response{Class: 2}, Reference{Class: 2}, Grade{Correct: true, Score: 1, Scores: map[string]float64{"accuracy": 1}}},
		{"wrong class", GraderOptions{Kind: Classification, Rule: Label, Metrics: []metrics.Name{metrics.Accuracy}},
			Response{Class: 0}, Reference{Class: 2}, Grade{Err: 1, Scores: map[string]float64{"accuracy": 0}}},
		{"exact after normalisation", GraderOptions{Kind: QA, Rule: ExactMatch},
			Response{Text: "the Broncos."}, texts("Denver", "broncos"), Grade{Correct: true, Score: 1}},
		{"not exact", GraderOptions{Kind: QA, Rule: ExactMatch, Metrics: []metrics.Name{metrics.TokenF1, metrics.ExactMatch}},
			Response{Text: "Denver Broncos"}, texts("Denver"), Grade{Err: 1,
				Scores: map[string]float64{"token-f1": 2.0 / 3, "exact-match": 0}}},
		{"at the threshold", GraderOptions{Kind: Translation, Rule: TokenF1, Tau: 0.5},
			Response{Text: "x y z w"}, texts("x y q r"), Grade{Correct: true, Score: 0.5}},
		{"below the threshold", GraderOptions{Kind: Translation, Rule: TokenF1, Tau: 0.5000001},
			Response{Text: "x y z w"}, texts("x y q r"), Grade{Score: 0.5, Err: 1}},
		{"soft", GraderOptions{Kind: Translation, Rule: TokenF1, Tau: 0.7, Soft: true},
			Response{Text: "x y z w"}, texts("x y q r"), Grade{Score: 0.5, Err: 0.5}},
		{"best reference", GraderOptions{Kind: Generation, Rule: RougeL, Tau: 0.9},
			Response{Text: "one two"}, texts("three", "one two"), Grade{Correct: true, Score: 1}},
		{"first reference", GraderOptions{Kind: Generation, Rule: RougeL, Tau: 0.9, First: true},
			Response{Text: "one two"}, texts("three", "one two"), Grade{Err: 1}},
		{"cosine", GraderOptions{Kind: Generation, Rule: Cosine, Tau: 0.7, Metrics: []metrics.Name{metrics.CosineFirst}},
			Response{Text: "a", Vector: []float32{3, 4}}, Reference{Texts: []string{"b", "c"},
				Vectors: [][]float32{{-4, 3}, {4, 3}}},
			Grade{Correct: true, Score: 0.96, Scores: map[string]float64{"cosine-first": 0}}},
		{"soft cosine below zero", GraderOptions{Kind: Generation, Rule: Cosine, Tau: 0.7, Soft: true},
			Response{Text: "a", Vector: []float32{1, 0}}, Reference{Texts: []string{"b"},
				Vectors: [][]float32{{-2, 0}}}, Grade{Score: -1, Err: 1}},
		{"empty answer", GraderOptions{Kind: QA, Rule: ExactMatch}, Response{}, texts("x"), Grade{Err: 1}},
		{"recorded as right, without a reference", GraderOptions{Kind: QA, Rule: Recorded,
			Metrics: []metrics.Name{metrics.Accuracy}}, Response{Grade: grade(1)}, Reference{Class: -1},
			Grade{Correct: true, Score: 1, Scores: map[string]float64{"accuracy": 1}}},
		{"recorded as wrong, whatever the class", GraderOptions{Kind: Classification, Rule: Recorded,
			Metrics: []metrics.Name{metrics.Accuracy}}, Response{Class: 2, Grade: grade(0)}, Reference{Class: 2},
			Grade{Err: 1, Scores: map[string]float64{"accuracy": 0}}},
		{"a recorded score at the threshold", GraderOptions{Kind: QA, Rule: Recorded, Tau: 0.5},
			Response{Grade: grade(0.5)}, Reference{Class: -1}, Grade{Correct: true, Score: 0.5}},
		{"a soft recorded score", GraderOptions{Kind: QA, Rule: Recorded, Tau: 0.5, Soft: true},
			Response{Grade: grade(0.25)}, Reference{Class: -1}, Grade{Score: 0.25, Err: 0.75}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, err := NewGrader(tt.o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.Grade(tt.answer, tt.ref)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got, cmpopts.EquateApprox(0, 1e-7)); d != "" {
				t.Error(d)
			}
		})
	}
}

func grade(g float64) *float64 { return &g }

// A grade that is not there, or says neither right nor wrong, is an error.
func TestRecordedGradeMistakes(t *testing.T) {
	g, err := NewGrader(GraderOptions{Kind: QA, Rule: Recorded})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		grade *float64
		want  string
	}{{nil, "no grade was recorded"}, {grade(1.5), "outside [0,1]"}, {grade(0.5), "neither 0 nor 1"}} {
		if _, err := g.Grade(Response{Grade: test.grade}, Reference{Class: -1}); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
	if _, err := NewGrader(GraderOptions{Kind: QA, Rule: Recorded, Soft: true}); err == nil {
		t.Error("a soft grade without a threshold for right and wrong")
	}
}

func TestOracleAgreement(t *testing.T) {
	// The student's answer is right if it agrees with the master's; the master
	// agrees with itself under every rule, also with an empty answer, whose
	// ROUGE-L with itself is 0.
	for _, o := range []GraderOptions{
		{Kind: QA, Rule: ExactMatch}, {Kind: QA, Rule: TokenF1, Tau: 1}, {Kind: QA, Rule: RougeL, Tau: 1}, {Kind: QA,
			Rule: Cosine, Tau: 1},
	} {
		g, err := NewGrader(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, master := range []Response{{Text: "", Vector: []float32{0, 0}}, {Text: "München", Vector: []float32{.1, .3}}} {
			grade, err := g.Grade(master, MasterReference(master))
			if err != nil || !grade.Correct || grade.Err != 0 {
				t.Errorf("%s: the master's %q against itself: %+v, error %v", o.Rule, master.Text, grade, err)
			}
			other, err := g.Grade(Response{Text: "zzz", Vector: []float32{-.3, .1}}, MasterReference(master))
			if err != nil || other.Correct {
				t.Errorf("%s: another answer than the master's %q: %+v, error %v", o.Rule, master.Text, other, err)
			}
		}
	}
	g, _ := NewGrader(GraderOptions{Kind: Classification, Rule: Label})
	master := Response{Class: 1}
	if grade, err := g.Grade(Response{Class: 0}, MasterReference(master)); err != nil || grade.Err != 1 {
		t.Errorf("another class: %+v, %v", grade, err)
	}
	if grade, err := g.Grade(Response{Class: 1}, MasterReference(master)); err != nil || grade.Err != 0 {
		t.Errorf("the same class: %+v, %v", grade, err)
	}
}

func TestGradeProperties(t *testing.T) {
	words := rapid.StringMatching(`([ab]{1,2} ){0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		tau := rapid.Float64Range(0.01, 1).Draw(t, "tau")
		o := GraderOptions{Kind: QA, Rule: rapid.SampledFrom([]Rule{ExactMatch, TokenF1, RougeL}).Draw(t, "rule"), Tau: tau}
		hard, err := NewGrader(o)
		if err != nil {
			t.Fatal(err)
		}
		o.Soft = true
		soft, _ := NewGrader(o)
		a := Response{Text: words.Draw(t, "answer")}
		ref := Reference{Texts: rapid.SliceOfN(words, 1, 3).Draw(t, "references")}
		h, err := hard.Grade(a, ref)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := soft.Grade(a, ref)
		if h.Correct != (h.Err == 0) || h.Err != 0 && h.Err != 1 || h.Score != s.Score || h.Correct != s.Correct {
			t.Fatalf("hard %+v, soft %+v", h, s)
		}
		if s.Err != 1-s.Score || s.Err < 0 || s.Err > 1 {
			t.Fatalf("soft %+v", s)
		}
		more, _ := hard.Grade(a, Reference{Texts: append(ref.Texts, a.Text+" a")})
		if more.Score < h.Score {
			t.Fatalf("a further reference lowered the score from %v to %v", h.Score, more.Score)
		}
	})
}

func TestGradeErrors(t *testing.T) {
	cosine := GraderOptions{Kind: QA, Rule: Cosine, Tau: 0.7}
	byMetric := GraderOptions{Kind: QA, Rule: ExactMatch, Metrics: []metrics.Name{metrics.Cosine}}
	v := []float32{1, 2}
	tests := []struct {
		name   string
		o      GraderOptions
		answer Response
		ref    Reference
		want   string
	}{
		{"no reference", GraderOptions{Kind: QA, Rule: ExactMatch}, Response{Text: "a"}, Reference{}, "no reference"},
		{"no class", GraderOptions{Kind: Classification, Rule: Label}, Response{Class: 1}, Reference{Class: -1},
			"class is an index from 0"},
		{"no vector", cosine, Response{Text: "a"}, Reference{Texts: []string{"b"}, Vectors: [][]float32{v}},
			"the answer has no embedding"},
		{"no vector for a metric", byMetric, Response{Text: "a"}, Reference{Texts: []string{"b"}},
			"the answer has no embedding"},
		{"too few vectors", cosine, Response{Vector: v}, Reference{Texts: []string{"b", "c"}, Vectors: [][]float32{v}},
			"1 embeddings for 2 references"},
		{"other length", cosine, Response{Vector: v}, Reference{Texts: []string{"b"}, Vectors: [][]float32{{1}}},
			"has 2 numbers, that of reference 1 has 1"},
		{"NaN", cosine, Response{Vector: []float32{float32(math.NaN()), 1}},
			Reference{Texts: []string{"b"}, Vectors: [][]float32{v}}, "not finite"},
		{"infinite", cosine, Response{Vector: v},
			Reference{Texts: []string{"b"}, Vectors: [][]float32{{float32(math.Inf(1)), 1}}}, "reference 1 is not finite"},
	}
	for _, tt := range tests {
		g, err := NewGrader(tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Grade(tt.answer, tt.ref); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

func TestNewGraderErrors(t *testing.T) {
	tests := []struct {
		name string
		o    GraderOptions
		want string
	}{
		{"no rule", GraderOptions{Kind: QA}, `unknown correctness rule ""`},
		{"label of text", GraderOptions{Kind: QA, Rule: Label}, "does not judge qa: use exact-match"},
		{"text of classes", GraderOptions{Kind: Classification, Rule: TokenF1, Tau: .5}, "use label"},
		{"no threshold", GraderOptions{Kind: QA, Rule: TokenF1}, "needs a threshold in (0,1], not 0"},
		{"threshold over 1", GraderOptions{Kind: QA, Rule: Cosine, Tau: 1.1}, "not 1.1"},
		{"threshold NaN", GraderOptions{Kind: QA, Rule: Cosine, Tau: math.NaN()}, "not NaN"},
		{"metric", GraderOptions{Kind: QA, Rule: ExactMatch, Metrics: []metrics.Name{"bart"}}, "bart"},
		{"metric of classes", GraderOptions{Kind: QA, Rule: ExactMatch, Metrics: []metrics.Name{metrics.Accuracy}},
			"looks at classes, which qa does not have"},
		{"metric of texts", GraderOptions{Kind: Classification, Rule: Label, Metrics: []metrics.Name{metrics.RougeL}},
			"looks at texts, which classification does not have"},
	}
	for _, tt := range tests {
		if _, err := NewGrader(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

func TestDefaultsMakeAGrader(t *testing.T) {
	for _, k := range Kinds() {
		d := DefaultsOf(k)
		if _, err := NewGrader(GraderOptions{Kind: k, Rule: d.Rule, Tau: d.Tau, Metrics: d.Metrics}); err != nil {
			t.Errorf("%s: %v", k, err)
		}
		if d.Rule.HasTau() != (d.Tau > 0) || (k == Classification) != (d.MaxTokens == 0) {
			t.Errorf("%s: %+v", k, d)
		}
	}
}

func TestReferenceOf(t *testing.T) {
	r := ReferenceOf(dataset.Example{Class: 3, References: []string{"a"}}, [][]float32{{1}})
	if d := cmp.Diff(Reference{Class: 3, Texts: []string{"a"}, Vectors: [][]float32{{1}}}, r); d != "" {
		t.Error(d)
	}
}
