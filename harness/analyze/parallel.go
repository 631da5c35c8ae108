package analyze

import (
	"infnet/harness/cost"
	"infnet/harness/policy/chain"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
)

// ensembles adds the rows in which every model answers every query.
func (t *table) ensembles() error {
	r := t.r
	if !r.Classifies() {
		if len(r.Study.Policy.Ensembles) > 0 {
			t.notes = append(t.notes, note.NoEnsembles(string(r.Dataset.Task)))
		}
		return nil
	}
	test := voters(r)
	for _, rule := range r.Study.Policy.Ensembles {
		at, err := chain.Ensemble(test, rule)
		if err != nil {
			return err
		}
		if err := t.add(t.row(entry{name: "ensemble-" + string(rule), title: "Ensemble, " + string(rule), baseline: true,
			charge: cost.Parallel, test: at, notes: []result.Note{note.Ensemble(len(test))}})); err != nil {
			return err
		}
	}
	return nil
}

// voters are the answers of all models on the test part.
func voters(r *records.Records) []chain.Member {
	out := make([]chain.Member, len(r.Models))
	for m := range out {
		of := &r.Models[m]
		out[m] = chain.Member{Beta: records.Pick(of.Beta, r.Test), Class: records.Pick(of.Class, r.Test),
			Err: of.Errors(r.Test)}
	}
	return out
}
