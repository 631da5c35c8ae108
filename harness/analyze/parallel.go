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
		if err := t.add(t.row(entry{name: "ensemble-" + string(rule), title: "Ensemble, " + string(rule), baseline: true,
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
		if r.Classifies() {
			copy(out[m].Class, records.Pick(of.Class, r.Test))
		}
	}
	if !r.Classifies() {
		voteTexts(r, out)
	}
	return out
}

// voteTexts gives equal answers equal numbers, as votes of samples are equal. What states no answer equals nothing, and
// is not sure of it.
func voteTexts(r *records.Records, members []chain.Member) {
	for k, i := range r.Test {
		answers := make([]backends.Answer, len(members))
		for m := range members {
			answers[m], _ = r.Look(m, i)
			members[m].Class[k] = -1 - m
		}
		groups := r.Sheet.Votes(answers)
		for g, group := range groups {
			for _, m := range group {
				members[m].Class[k] = g
			}
		}
		for m := range members {
			if members[m].Class[k] < 0 {
				members[m].Beta[k] = 0
			}
		}
	}
}
