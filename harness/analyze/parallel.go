package analyze

import (
	"infnet/harness/cost"
	"infnet/harness/policy/chain"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
)

// ensembles makes the rows in which every model answers every query.
func ensembles(s *measurer) (out rows, err error) {
	if !s.r.Classifies() {
		return nil, nil
	}
	test := voters(s.r)
	for _, rule := range s.r.Study.Policy.Ensembles {
		at, err := chain.Ensemble(test, rule)
		if err != nil {
			return nil, err
		}
		x, err := s.measure("ensemble-"+string(rule), "Ensemble, "+string(rule), s.stages(s.all(), at, cost.Parallel))
		if err != nil {
			return nil, err
		}
		x.Baseline, x.Notes = true, []result.Note{note.Ensemble(len(test))}
		x.follow(s.r, s.r.Test, at, nil)
		if err := s.rival(&x); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
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

// noEnsembles says why a task without classes has no ensembles, where the study
// asks for some.
func noEnsembles(r *records.Records) []result.Note {
	if r.Classifies() || len(r.Study.Policy.Ensembles) == 0 {
		return nil
	}
	return []result.Note{note.NoEnsembles(string(r.Dataset.Task))}
}
