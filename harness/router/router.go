// Package router owns the policies that learn to route: the scorer
// of FrugalGPT (L. Chen, M. Zaharia, J. Zou, FrugalGPT: how to use large
// language models while reducing cost and improving performance, 2023), which
// reads the query and the student's answer, and the router of Hybrid LLM
// (D. Ding et al., Hybrid LLM: cost-efficient and quality-aware query routing,
// ICLR 2024), which reads the query alone; and six other baselines that learn
// (LEARNERS.md). It owns the learners behind them, how they are cross-fitted, and
// the thresholds on their scores. It opens no file and calls no model: a learner
// that needs weights is passed in.
//
// Its opinion: what learns and what is optimised on its output never share a record (LEARNERS.md). FitOnce is the
// exception: the protocol of the paper's authors. A result depends on the records and the seed, never on the order of
// the records or the number of threads.
package router

import (
	"context"
	"fmt"
	"math"

	"infnet/harness/calc"
	"infnet/harness/choice"
	"infnet/harness/curve"
)

type Kind string

const (
	Light   Kind = "light"   // hashed n-grams and logistic regression: no download, seconds
	Command Kind = "command" // a program of the user's; not of this package, injected
)

func Kinds() []Kind { return []Kind{Light, Command} }

func (k *Kind) UnmarshalText(b []byte) error { return choice.Decode(k, b, "learner", Kinds()) }

// Sample is one record as a learner sees it.
type Sample struct {
	ID    string // unique among the samples of a task
	Group string // samples of one group are never on both sides of a division; "" = alone

	Query string // the text that the record puts into the prompt; for question answering the context is part of it

	// Known only once the student has answered: zero where Task.Answered is
	// false.
	Answer string  // the student's answer; of a classification the class, as a model says it
	Class  int     // of a classification, the predicted class; −1 = the task has none
	Beta   float64 // the confidence of the answer, in [0,1]

	Embedding []float64 // of the query; nil unless the learner Embeds
	Features  []float64 `json:",omitempty"` // of the answer: of its tokens, or its signals; nil unless the learner needs Tokens

	counts []count // of the texts, where Counted has counted them; nil = not yet
}

// Task is what a learner is to learn.
type Task struct {
	Samples []Sample
	Labels  []float64 // one per sample, 0 or 1; both occur

	// What a Learner that Estimates learns from, by model, then sample: 1 less the error, and cost ≥ 0; nil of others
	Quality, Cost [][]float64 `json:",omitempty"`

	// Answered: the samples hold the student's answers, and the learner is a
	// scorer. Else it is a router, and must not look at them.
	Answered bool

	// Classes the student chooses among; 0 = the task has none.
	Classes int

	// Seed and Name are of the random streams of this fit: ask for
	// seed.Stream(Seed, Name, "what it is for").
	Seed uint64
	Name string

	Threads  int                   // ≥ 1; what is learned does not depend on it
	Progress func(done, total int) // of this fit, in steps of the learner's choice; nil = nobody looks
}

// Learner learns which model to ask: the probability that a sample's label is 1, or what every model's answer is worth.
// What it learns does not depend on the order of the samples, the number of threads or the machine's load. It is safe
// for concurrent use.
type Learner struct {
	Name string // what tables call it, such as "hashed n-grams"

	// Key identifies everything that shapes what it learns, other than the
	// task: the kind, every option, a hash of the weights it starts from, and a
	// version of its code. Results are cached by it.
	Key string

	Embeds bool // it needs Sample.Embedding
	Tokens bool // it needs Sample.Features

	// Estimates: before any model answers it estimates what each one's answer is worth, and what it costs, from
	// Task.Quality and Task.Cost.
	Estimates bool

	Program bool // it fills the machine, so that its fits are done one after another, and counts no operations
	scaled  bool // its fits' scores are on one scale
	counts  bool // it reads n-grams

	// Learn fits, and scores the samples of apply. It holds out Task.HoldOut(HeldOut) for early stopping and
	// calibration, does not train on them, and says in the report how it did there.
	Learn func(ctx context.Context, t Task, apply []Sample) (Learned, error)
}

// Learned is a fit, with its scores of further samples.
type Learned struct {
	// Scores are, sample by sample, the calibrated probability in [0,1] that its label is 1. A score does not depend on
	// the other samples.
	Scores []float64

	Estimates []Estimate // by sample, of a Learner that Estimates
	FLOPs     float64    // of one score, 2 per multiply–add, mean over the task's samples; 0 = not said
	Report    Report
}

// scored makes scores of log-odds.
func (l *Learned) scored(odds []float64, by curve.LogitLine) {
	l.Scores = odds
	for i, z := range odds {
		l.Scores[i] = by.At(z)
	}
}

// Report says how a fit went.
type Report struct {
	Records int    // given
	Ones    int    // of them, with label 1
	Epochs  int    // passes over the training records until the best was found
	Passes  int    // passes in all
	Held    Judged // before calibration, on the records held out
	Digest  string // SHA-256 of all that was learned, hexadecimal; "" = not said
	Note    string // a caveat for people; "" = none
}

type Judged struct {
	Records  int
	Loss     float64  // mean logistic loss, natural logarithm
	Accuracy float64  // of the label the probability is nearer to; ½ is 1
	AUROC    *float64 // nil where all labels are equal
}

func (j Judged) String() string {
	auroc := "undefined"
	if j.AUROC != nil {
		auroc = fmt.Sprintf("%.3f", *j.AUROC)
	}
	return fmt.Sprintf("loss %.4f, accuracy %.3f, AUROC %s on %d records", j.Loss, j.Accuracy, auroc, j.Records)
}

// Judge scores probabilities against labels. The AUROC is the share of pairs of a
// 1 and a 0 in which the 1 has the larger probability, ties counting half (Mann
// and Whitney, 1947). Probabilities are kept 1e-15 away from 0 and 1, so that the
// loss is finite. No records give the zero value.
func Judge(probability, labels []float64) Judged {
	n := len(labels)
	j := Judged{Records: n}
	if n == 0 {
		return j
	}
	right := 0
	for i, p := range probability {
		q := p
		if labels[i] != 1 {
			q = 1 - p
		}
		j.Loss -= calc.Log(min(max(q, 1e-15), 1))
		if (p >= 0.5) == (labels[i] == 1) {
			right++
		}
	}
	j.Loss /= float64(n)
	j.Accuracy = float64(right) / float64(n)
	if area := calc.AUROC(probability, func(i int) bool { return labels[i] == 1 }); !math.IsNaN(area) {
		j.AUROC = &area
	}
	return j
}
