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
	members := make([]chain.Member, len(s.r.Models))
	for m := range members {
		members[m] = chain.Member{Beta: records.Pick(s.r.Models[m].Beta, s.r.Test), Class: s.class[m], Err: s.errors[m]}
	}
	for _, rule := range s.r.Study.Policy.Ensembles {
		at, err := chain.Ensemble(members, rule)
		if err != nil {
			return nil, err
		}
		x, err := s.measure("ensemble-"+string(rule), "Ensemble, "+string(rule), s.stages(s.all(), at, cost.Parallel))
		if err != nil {
			return nil, err
		}
		x.Baseline, x.Notes = true, []result.Note{result.NewNote(note.Ensemble{Models: len(members)})}
		x.follow(s.r, s.r.Test, at, nil)
		out = append(out, x)
	}
	return out, nil
}

// noEnsembles says why a task without classes has no ensembles, where the study
// asks for some.
func noEnsembles(r *records.Records) []result.Note {
	if r.Classifies() || len(r.Study.Policy.Ensembles) == 0 {
		return nil
	}
	return []result.Note{result.NewNote(note.NoEnsembles{Task: string(r.Dataset.Task)})}
}
