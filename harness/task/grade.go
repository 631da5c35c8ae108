package task

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"infnet/harness/dataset"
	"infnet/metrics"
	"infnet/metrics/grade"
)

// Response is a model's answer in the form that is graded.
type Response struct {
	Class  int                  // classification: predicted class index
	Text   string               // other kinds: the answer, as Extract returns it
	Vector []float32            // embedding of Text; nil where neither rule nor metrics need it
	Given  []float64            // the study's scores of Text, one per reference; nil where no metric needs them
	Grade  *float64             // recorded: the grade that came with the answer, in [0,1]
	Said   *float64             // command: the program's score, in [0,1]; nil = it could not tell
	Judge  func() grade.Verdict // what the judge says; it is called where the rules before decide nothing
	None   bool                 // the reply states no answer: it is wrong, unless the master's states none either
}

// Reference is what an answer is graded against.
type Reference struct {
	Class   int         // classification: the right class index; -1 for other kinds
	Texts   []string    // other kinds: accepted answers, first is primary
	Vectors [][]float32 // embeddings of Texts, in order; nil where not needed
	None    bool        // the master's reply states no answer
	Master  bool        // this is the master's answer: an answer of the same text agrees with it under every rule
}

// ReferenceOf returns the reference of an example: the setting in which the master errs too (§2 of the paper,
// non-oracle). vectors are the embeddings of its references, nil where not needed.
func ReferenceOf(e dataset.Example, vectors [][]float32) Reference {
	return Reference{Class: e.Class, Texts: e.References, Vectors: vectors}
}

// MasterReference turns the master's answer into the reference of the oracle setting (§2 of the paper): an answer is
// right if it agrees with the master's under the same rule, and the master is right by definition. Two answers of the
// same text always agree: the rule's score of two empty texts, or of two equal vectors after rounding, can be below
// the threshold.
func MasterReference(master Response) Reference {
	r := Reference{Class: master.Class, Texts: []string{master.Text}, Master: true, None: master.None}
	if master.Vector != nil {
		r.Vectors = [][]float32{master.Vector}
	}
	return r
}

// Grade is the grade of one answer.
type Grade struct {
	Correct bool               // by the rule
	Score   float64            // of the rule, in [0,1] (cosine: [-1,1])
	Err     float64            // 0 or 1; soft: 1 − Score, kept within [0,1]
	Scores  map[string]float64 // per-record metrics by name
	By      Rule               // the rule that decided; "" = there was no answer, or no rule could
}

// Grader grades answers by one rule. The zero value is not valid: use
// NewGrader. A Grader is immutable and safe for concurrent use.
type Grader struct {
	GraderOptions
	scores []metrics.Metric
}

// GraderOptions say how answers are graded.
type GraderOptions struct {
	Rule Rule
	Then []Rule // asked in turn where those before decide nothing
	// rules with a threshold: score from which an answer is right, in (0,1]; else ignored. Recorded and command: 0 =
	// scores are 0 or 1
	Tau  float64
	Soft bool // Err is 1 − Score instead of 0 or 1
	// scores of every record; those that exist for many records only (F1) are left out of Grade.Scores
	Metrics []metrics.Name
}

// NewGrader returns a grader. A study has checked that the rule and the metrics fit its answers.
func NewGrader(o GraderOptions) (*Grader, error) {
	g := &Grader{GraderOptions: o}
	for _, name := range o.Metrics {
		m, err := metrics.Get(name)
		if err != nil {
			return nil, err
		}
		if name == metrics.Accuracy || m.Score != nil || m.Similarity != nil || m.Given != nil {
			g.scores = append(g.scores, m)
		}
	}
	return g, nil
}

// NeedsVectors reports whether grading needs embeddings, for its rule or a metric.
func (g *Grader) NeedsVectors() bool {
	return g.Rule.NeedsVectors() ||
		slices.ContainsFunc(g.scores, func(m metrics.Metric) bool { return m.Input == metrics.Vectors })
}

// NeedsScores reports whether a metric needs the study's scorer.
func (g *Grader) NeedsScores() bool {
	return slices.ContainsFunc(g.scores, func(m metrics.Metric) bool { return m.Input == metrics.Pairs })
}

// Grade grades one answer. A score exactly at the threshold is right. It fails where the reference has nothing to
// compare with, and where a vector that is needed is missing, of another length than the others, or not finite.
func (g *Grader) Grade(a Response, ref Reference) (Grade, error) {
	if g.Rule == Recorded {
		if a.Grade == nil {
			return Grade{}, errors.New("no grade was recorded with the answer")
		}
	} else if g.Rule == Label {
		if a.Class < 0 && !a.None || ref.Class < 0 {
			return Grade{}, fmt.Errorf("cannot compare class %d with reference class %d: a class is an index from 0", a.Class,
				ref.Class)
		}
	} else if len(ref.Texts) == 0 && !g.Rule.needsNone() {
		return Grade{}, errors.New("no reference to grade the answer by")
	}
	if a.Said != nil && g.Tau == 0 && *a.Said != 0 && *a.Said != 1 {
		return Grade{}, fmt.Errorf("the program's score is %v, and the study states no threshold: say from which score an "+
			"answer is right, tau = …, or write 0 and 1", *a.Said)
	}
	if g.NeedsVectors() {
		if err := checkVectors(a, ref); err != nil {
			return Grade{}, err
		}
	}
	if g.NeedsScores() && (len(a.Given) == 0 || len(a.Given) != len(ref.Texts)) {
		return Grade{}, fmt.Errorf("%d scores of the answer for %d references: want one each", len(a.Given), len(ref.Texts))
	}
	out := g.decide(a, ref)
	switch {
	case g.Soft:
		out.Err = 1 - min(1, max(0, out.Score))
	case !out.Correct:
		out.Err = 1
	}
	if len(g.scores) > 0 {
		out.Scores = make(map[string]float64, len(g.scores))
	}
	for _, m := range g.scores {
		switch {
		case m.Similarity != nil:
			out.Scores[string(m.Name)] = m.Similarity(a.Vector, ref.Vectors)
		case m.Given != nil:
			out.Scores[string(m.Name)] = m.Given(a.Given)
		case m.Score != nil:
			out.Scores[string(m.Name)] = m.Score(a.Text, ref.Texts)
		case g.Rule != Label:
			if out.Correct {
				out.Scores[string(m.Name)] = 1
			} else {
				out.Scores[string(m.Name)] = 0
			}
		default: // accuracy
			out.Scores[string(m.Name)] = sameClass(a, ref)
		}
	}
	return out, nil
}

// decide asks the rules in turn. One that reads an answer as something (a number, a formula, a choice, JSON) decides
// what it can read; the others, which compare words, decide what is right, and what is wrong where no rule follows.
func (g *Grader) decide(a Response, ref Reference) (out Grade) {
	if a.None != ref.None { // no rule, program or judge is asked
		return out
	}
	for k, rule := range append([]Rule{g.Rule}, g.Then...) {
		score, decided := g.score(rule, a, ref)
		right := score >= g.threshold(rule)
		if decided && (right || rule.Reads() || k == len(g.Then)) {
			return Grade{Score: score, Correct: right, By: rule}
		}
	}
	return out
}

// threshold is the score from which an answer is right.
func (g *Grader) threshold(rule Rule) float64 {
	if rule.HasTau() || rule.MayHaveTau() && g.Tau > 0 {
		return g.Tau
	}
	return 1
}

// score is the score of a rule, and whether the rule can tell.
func (g *Grader) score(rule Rule, a Response, ref Reference) (score float64, decided bool) {
	if rule != Label && rule != Recorded && ref.Master && a.Text == ref.Texts[0] {
		return 1, true
	}
	verdict := func(v grade.Verdict) (float64, bool) {
		if v == grade.Right {
			return 1, true
		}
		return 0, v == grade.Wrong
	}
	switch rule {
	case Recorded:
		return *a.Grade, true
	case Command:
		if a.Said == nil {
			return 0, false
		}
		return *a.Said, true
	case Label:
		return sameClass(a, ref), true
	case ExactMatch:
		if len(g.Then) > 0 && !grade.Alike(a.Text, ref.Texts) {
			return 0, true // in SQuAD's form -5 is 5, which another rule of the list can tell
		}
		return metrics.ScoreExactMatch(a.Text, ref.Texts), true
	case TokenF1:
		return metrics.ScoreTokenF1(a.Text, ref.Texts), true
	case RougeL:
		return metrics.ScoreRougeL(a.Text, ref.Texts), true
	case Cosine:
		return metrics.CosineBest(a.Vector, ref.Vectors), true
	case Judge:
		if a.Judge == nil { // two answers are compared, and not judged
			return 0, false
		}
		return verdict(a.Judge())
	case Number:
		return verdict(grade.Number(a.Text, ref.Texts))
	case Math:
		return verdict(grade.Math(a.Text, ref.Texts))
	case Choice:
		return verdict(grade.Choice(a.Text, ref.Texts))
	case Contains:
		return verdict(grade.Contains(a.Text, ref.Texts))
	case JSON:
		return verdict(grade.JSON(a.Text, ref.Texts))
	}
	panic("task: unknown rule " + string(rule)) // a study has checked it
}

func sameClass(a Response, ref Reference) float64 {
	if a.Class == ref.Class {
		return 1
	}
	return 0
}

// checkVectors reports embeddings that cannot be compared.
func checkVectors(a Response, ref Reference) error {
	switch {
	case len(a.Vector) == 0:
		return errors.New("the answer has no embedding, which the cosine needs")
	case len(ref.Vectors) != len(ref.Texts):
		return fmt.Errorf("%d embeddings for %d references: the cosine needs one each", len(ref.Vectors), len(ref.Texts))
	}
	if !finite(a.Vector) {
		return errors.New("the answer's embedding is not finite")
	}
	for i, v := range ref.Vectors {
		if len(v) != len(a.Vector) {
			return fmt.Errorf("the answer's embedding has %d numbers, that of reference %d has %d: embed both with one model",
				len(a.Vector), i+1, len(v))
		}
		if !finite(v) {
			return fmt.Errorf("the embedding of reference %d is not finite", i+1)
		}
	}
	return nil
}

func finite(v []float32) bool {
	return !slices.ContainsFunc(v, func(x float32) bool {
		return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0)
	})
}
