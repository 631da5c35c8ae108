package task

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	_ "infnet/harness/seed/steady" // the same cases in every run

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
		{"right class", GraderOptions{Rule: Label,
			Metrics: []metrics.Name{metrics.Accuracy, metrics.F1Macro}},
			Response{Class: 2}, Reference{Class: 2}, Grade{Correct: true, Score: 1, Scores: map[string]float64{"accuracy": 1}}},
		{"wrong class", GraderOptions{Rule: Label, Metrics: []metrics.Name{metrics.Accuracy}},
			Response{Class: 0}, Reference{Class: 2}, Grade{Err: 1, Scores: map[string]float64{"accuracy": 0}}},
		{"exact after normalisation", GraderOptions{Rule: ExactMatch},
			Response{Text: "the Broncos."}, texts("Denver", "broncos"), Grade{Correct: true, Score: 1}},
		{"not exact", GraderOptions{Rule: ExactMatch, Metrics: []metrics.Name{metrics.TokenF1, metrics.ExactMatch}},
			Response{Text: "Denver Broncos"}, texts("Denver"), Grade{Err: 1,
				Scores: map[string]float64{"token-f1": 2.0 / 3, "exact-match": 0}}},
		{"at the threshold", GraderOptions{Rule: TokenF1, Tau: 0.5},
			Response{Text: "x y z w"}, texts("x y q r"), Grade{Correct: true, Score: 0.5}},
		{"below the threshold", GraderOptions{Rule: TokenF1, Tau: 0.5000001},
			Response{Text: "x y z w"}, texts("x y q r"), Grade{Score: 0.5, Err: 1}},
		{"soft", GraderOptions{Rule: TokenF1, Tau: 0.7, Soft: true},
			Response{Text: "x y z w"}, texts("x y q r"), Grade{Score: 0.5, Err: 0.5}},
		{"best reference", GraderOptions{Rule: RougeL, Tau: 0.9},
			Response{Text: "one two"}, texts("three", "one two"), Grade{Correct: true, Score: 1}},
		{"cosine", GraderOptions{Rule: Cosine, Tau: 0.7, Metrics: []metrics.Name{metrics.CosineFirst}},
			Response{Text: "a", Vector: []float32{3, 4}}, Reference{Texts: []string{"b", "c"},
				Vectors: [][]float32{{-4, 3}, {4, 3}}},
			Grade{Correct: true, Score: 0.96, Scores: map[string]float64{"cosine-first": 0}}},
		{"soft cosine below zero", GraderOptions{Rule: Cosine, Tau: 0.7, Soft: true},
			Response{Text: "a", Vector: []float32{1, 0}}, Reference{Texts: []string{"b"},
				Vectors: [][]float32{{-2, 0}}}, Grade{Score: -1, Err: 1}},
		{"empty answer", GraderOptions{Rule: ExactMatch}, Response{}, texts("x"), Grade{Err: 1}},
		{"recorded as right, without a reference", GraderOptions{Rule: Recorded,
			Metrics: []metrics.Name{metrics.Accuracy}}, Response{Grade: graded(1)}, Reference{Class: -1},
			Grade{Correct: true, Score: 1, Scores: map[string]float64{"accuracy": 1}}},
		{"recorded as wrong, whatever the class", GraderOptions{Rule: Recorded,
			Metrics: []metrics.Name{metrics.Accuracy}}, Response{Class: 2, Grade: graded(0)}, Reference{Class: 2},
			Grade{Err: 1, Scores: map[string]float64{"accuracy": 0}}},
		{"a recorded score at the threshold", GraderOptions{Rule: Recorded, Tau: 0.5},
			Response{Grade: graded(0.5)}, Reference{Class: -1}, Grade{Correct: true, Score: 0.5}},
		{"a soft recorded score", GraderOptions{Rule: Recorded, Tau: 0.5, Soft: true},
			Response{Grade: graded(0.25)}, Reference{Class: -1}, Grade{Score: 0.25, Err: 0.75}},
		{"right by a program, without a reference", GraderOptions{Rule: Command,
			Metrics: []metrics.Name{metrics.Accuracy}}, Response{Class: 1, Said: graded(1)}, Reference{Class: -1},
			Grade{Correct: true, Score: 1, Scores: map[string]float64{"accuracy": 1}}},
		{"wrong by a program that may be followed", GraderOptions{Rule: Command, Then: []Rule{ExactMatch}},
			Response{Text: "x", Said: graded(0)}, texts("x"), Grade{Err: 1}},
		{"a program's score at the threshold", GraderOptions{Rule: Command, Tau: 0.5}, Response{Said: graded(0.5)},
			Reference{Class: -1}, Grade{Correct: true, Score: 0.5}},
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
			tt.want.By = tt.o.Rule // the only one
			if d := cmp.Diff(tt.want, got, cmpopts.EquateApprox(0, 1e-7)); d != "" {
				t.Error(d)
			}
		})
	}
}

func graded(g float64) *float64 { return &g }

func TestOracleAgreement(t *testing.T) {
	// The student's answer is right if it agrees with the master's; the master agrees with itself under every rule, also
	// with an empty answer, whose ROUGE-L with itself is 0.
	for _, o := range []GraderOptions{
		{Rule: ExactMatch}, {Rule: TokenF1, Tau: 1}, {Rule: RougeL, Tau: 1}, {Rule: Cosine, Tau: 1},
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
	g, _ := NewGrader(GraderOptions{Rule: Label})
	master := Response{Class: 1}
	if grade, err := g.Grade(Response{Class: 0}, MasterReference(master)); err != nil || grade.Err != 1 {
		t.Errorf("another class: %+v, %v", grade, err)
	}
	if grade, err := g.Grade(Response{Class: 1}, MasterReference(master)); err != nil || grade.Err != 0 {
		t.Errorf("the same class: %+v, %v", grade, err)
	}
}

func TestGradeErrors(t *testing.T) {
	cosine := GraderOptions{Rule: Cosine, Tau: 0.7}
	byMetric := GraderOptions{Rule: ExactMatch, Metrics: []metrics.Name{metrics.Cosine}}
	v := []float32{1, 2}
	tests := []struct {
		name   string
		o      GraderOptions
		answer Response
		ref    Reference
		want   string
	}{
		{"no reference", GraderOptions{Rule: ExactMatch}, Response{Text: "a"}, Reference{}, "no reference"},
		{"no class", GraderOptions{Rule: Label}, Response{Class: 1}, Reference{Class: -1},
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

func TestDefaultsMakeAGrader(t *testing.T) {
	for _, k := range []Kind{Classification, QA, Translation, Generation} {
		d := DefaultsOf(k)
		if _, err := NewGrader(GraderOptions{Rule: d.Rule, Tau: d.Tau, Metrics: d.Metrics}); err != nil {
			t.Errorf("%s: %v", k, err)
		}
		if d.Rule.HasTau() != (d.Tau > 0) || (k == Classification) != (d.MaxTokens == 0) {
			t.Errorf("%s: %+v", k, d)
		}
	}
}

// Several rules: the first that decides. Verdicts by hand.
func TestSeveralRules(t *testing.T) {
	for _, tt := range []struct {
		name      string
		rule      Rule
		then      []Rule
		answer    Response
		reference string
		by        Rule
		right     bool
	}{
		{"words decide what is right", ExactMatch, []Rule{Number}, Response{Text: "7 apples."}, "7 apples", ExactMatch, true},
		{"words leave the rest to the next", ExactMatch, []Rule{Number}, Response{Text: "7.0"}, "7", Number, true},
		{"a number is decided", Number, []Rule{Contains}, Response{Text: "7"}, "7 8", Contains, false},
		{"wrong as a number", Number, []Rule{ExactMatch}, Response{Text: "8"}, "7", Number, false},
		{"the last one of words decides what is wrong", Number, []Rule{ExactMatch}, Response{Text: "eight"}, "7", ExactMatch,
			false},
		{"a sign is no mark of a sentence", ExactMatch, []Rule{Number}, Response{Text: "-5"}, "5", Number, false},
		{"nor is it where it is the last", Math, []Rule{ExactMatch}, Response{Text: "[1,2]"}, "(1,2)", ExactMatch, false},
		{"nobody can read it", ExactMatch, []Rule{Number}, Response{Text: "eight"}, "7", "", false},
		{"a rule alone", Number, nil, Response{Text: "eight"}, "7", "", false},
		{"no answer", Contains, nil, Response{None: true}, "7", "", false},
		{"no answer, though the rule would be content", ExactMatch, nil, Response{None: true}, "the", "", false},
		{"a choice", Choice, nil, Response{Text: "(b)"}, "B", Choice, true},
		{"a formula", Math, nil, Response{Text: `\frac{1}{2}`}, "0.5", Math, true},
		{"a value", JSON, nil, Response{Text: "[1.0]"}, "[1]", JSON, true},
	} {
		g, err := NewGrader(GraderOptions{Rule: tt.rule, Then: tt.then})
		if err != nil {
			t.Fatal(err)
		}
		got, err := g.Grade(tt.answer, Reference{Texts: []string{tt.reference}})
		if err != nil || got.By != tt.by || got.Correct != tt.right || got.Err != 1-got.Score {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
}
