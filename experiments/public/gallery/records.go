package gallery

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"infnet/harness/dataset/files"
	"infnet/harness/recorded"
)

// Set is one set of questions, as columns by question.
type Set struct {
	Name   string
	Fit    []int // questions that thresholds are fitted on
	Test   []int // the others, which numbers are measured on
	Models []Model
}

// Model is a model's recorded answers.
type Model struct {
	Name    string
	Correct []bool
	Beta    []float64 // nil = none was recorded; see level
	Cost    []float64 // USD; nil = not recorded
	Latency []float64 // milliseconds; likewise
}

// model returns the answers of a model; nil for one that is not there.
func (s *Set) model(name string) *Model {
	for i := range s.Models {
		if s.Models[i].Name == name {
			return &s.Models[i]
		}
	}
	return nil
}

// The sets of the nine recorded models, and the models in the order of the
// authors' two chains.
var (
	Sets   = []string{"mmlu", "triviaqa", "truthfulqa", "gsm8k"}
	Chains = []struct {
		Name   string
		Models []string
	}{
		{"Llama", []string{"llama3.2-1b", "llama3.2-3b", "llama3.1-8b", "llama3.1-70b", "llama3.1-405b"}},
		{"OpenAI and Qwen", []string{"gpt-4o-mini", "qwen2.5-32b-coder-instruct", "qwen2.5-72b-instruct", "gpt-4o"}},
	}
)

// ReadSet reads the answers of the nine models to one set, from the folder that
// INFNET_DATA names.
func ReadSet(ctx context.Context, data, name string) (*Set, error) {
	s := &Set{Name: name}
	place := map[string]int{} // of a question, by its id
	path := filepath.Join(data, "answers", "questions."+name+".jsonl.gz")
	err := files.Each(ctx, files.Options{Path: path}, func(r files.Row) error {
		id, err := r.Text("id")
		if err != nil {
			return err
		}
		part, err := r.Text("split")
		if err != nil {
			return err
		}
		i := len(place)
		place[id] = i
		if part == "test" {
			s.Test = append(s.Test, i)
		} else {
			s.Fit = append(s.Fit, i)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("questions of %s: %w", name, err)
	}
	for _, c := range Chains {
		for _, m := range c.Models {
			path := filepath.Join(data, "answers", "answers."+name+"."+m+".jsonl.gz")
			answers, err := readAnswers(ctx, recorded.Options{Path: path,
				Facts: recorded.Facts{Wanted: true, NullIsLow: true, In: "USD"}}, place)
			if err != nil {
				return nil, fmt.Errorf("answers of %s on %s: %w", m, name, err)
			}
			answers.Name = m
			s.Models = append(s.Models, *answers)
		}
	}
	return s, nil
}

// readAnswers reads a file of answers, one to each question.
func readAnswers(ctx context.Context, o recorded.Options, place map[string]int) (*Model, error) {
	rows, err := recorded.Read(ctx, o)
	if err != nil {
		return nil, err
	}
	n := len(place)
	if len(rows) != n {
		return nil, fmt.Errorf("%s: %d answers to %d questions", o.Path, len(rows), n)
	}
	m := &Model{Correct: make([]bool, n), Beta: make([]float64, n), Cost: make([]float64, n), Latency: make([]float64, n)}
	seen := make([]bool, n)
	for _, r := range rows {
		i, known := place[r.IDs[0]]
		switch {
		case !known || seen[i]:
			return nil, fmt.Errorf("%s, %s: the id %q is that of no question, or was there before", o.Path, r.Place, r.IDs[0])
		case r.Grade == nil || *r.Grade != 0 && *r.Grade != 1:
			return nil, fmt.Errorf("%s, %s: the grade is neither 0 nor 1", o.Path, r.Place)
		case r.Cost == nil || len(r.Tokens) == 0:
			return nil, fmt.Errorf("%s, %s: no cost, or no log-probability", o.Path, r.Place)
		}
		seen[i], m.Correct[i], m.Cost[i] = true, *r.Grade == 1, r.Cost.Amount
		// a log-probability of the whole answer was shared out evenly over its tokens
		whole := r.Tokens[0].Logprob * float64(len(r.Tokens))
		m.Beta[i], m.Latency[i] = level(whole), float64(r.Latency.Nanoseconds())/1e6
	}
	return m, nil
}

// level takes a log-probability into [0,1], in its order: −∞ is 0, and no two
// that differ by 10⁻¹⁰ or more become equal, as the probabilities of unlikely
// answers do.
func level(logprob float64) float64 {
	if math.IsInf(logprob, -1) {
		return 0
	}
	return 1 / (1 - math.Round(logprob*1e10)/1e10)
}

// ReadRouted reads RouteLLM's grades of two models on one set: all are measured
// on, and there is no confidence.
func ReadRouted(ctx context.Context, data, name string) (*Set, error) {
	s := &Set{Name: name}
	path := filepath.Join(data, "answers", "routellm."+name+".csv.gz")
	for _, m := range []struct{ name, column string }{{weak, "student_correct"}, {strong, "master_correct"}} {
		rows, err := recorded.Read(ctx, recorded.Options{Path: path,
			Facts: recorded.Facts{Wanted: true, Correct: m.column}})
		if err != nil {
			return nil, fmt.Errorf("grades of %s on %s: %w", m.name, name, err)
		}
		answers := Model{Name: m.name}
		for i, r := range rows {
			if r.Grade == nil || *r.Grade != 0 && *r.Grade != 1 {
				return nil, fmt.Errorf("%s, %s: the grade is neither 0 nor 1", path, r.Place)
			}
			answers.Correct = append(answers.Correct, *r.Grade == 1)
			if m.name == weak {
				s.Test = append(s.Test, i)
			}
		}
		s.Models = append(s.Models, answers)
	}
	return s, nil
}
