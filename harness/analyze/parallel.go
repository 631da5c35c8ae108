package analyze

import (
	"infnet/backends"
	"infnet/harness/cost"
	"infnet/harness/policy/chain"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
)

// ensembles adds the rows in which every model answers every query.
func (t *table) ensembles() error {
	r := t.r
	if len(r.Study.Policy.Ensembles) == 0 {
		return nil
	}
	test := voters(r)
	for _, rule := range r.Study.Policy.Ensembles {
		at, err := chain.Ensemble(test, rule)
		if err != nil {
			return err
		}
		if err := t.add(t.s.row(entry{name: "ensemble-" + string(rule), title: "Ensemble, " + string(rule), baseline: true,
			charge: cost.Parallel, test: at, notes: []result.Note{note.Ensemble(len(test), !r.Classifies())}})); err != nil {
			return err
		}
	}
	return nil
}

// voters are the answers of all models on the test part. A model without confidences votes with 0.
func voters(r *records.Records) []chain.Member {
	out := make([]chain.Member, len(r.Models))
	for m := range out {
		of := &r.Models[m]
		out[m] = chain.Member{Beta: make([]float64, len(r.Test)), Class: make([]int, len(r.Test)), Err: of.Errors(r.Test)}
		if records.Confident(r, m) {
			copy(out[m].Beta, records.Pick(of.Beta, r.Test))
		}
	}
	for k, i := range r.Test {
		for m, said := range answersSaid(r, i) {
			if out[m].Class[k] = said; said < 0 {
				out[m].Beta[k] = 0 // it is not sure of an answer
			}
		}
	}
	return out
}

// answersSaid numbers the models' answers to an example: equal ones have equal numbers, as classes and votes of samples
// are equal. What states no answer equals nothing; its number is negative.
func answersSaid(r *records.Records, i int) []int {
	out, answers := make([]int, len(r.Models)), make([]backends.Answer, len(r.Models))
	for m := range out {
		if out[m] = -1 - m; r.Classifies() {
			out[m] = r.Models[m].Class[i]
		} else {
			answers[m] = r.Models[m].Head(i)
		}
	}
	if r.Classifies() {
		return out
	}
	for g, group := range r.Sheet.Votes(answers) {
		for _, m := range group {
			out[m] = g
		}
	}
	return out
}
