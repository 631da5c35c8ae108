package analyze

import (
	"infnet/harness/cost"
	"infnet/harness/policy/chain"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/task"
)

// ensembles adds the rows in which every model answers every query.
func (b *Bench) ensembles(s *scorer) error {
	rules := b.in.Study.Policy.Ensembles
	if len(rules) == 0 {
		return nil
	}
	if b.Dataset.Task != task.Classification {
		b.out.Notes = append(b.out.Notes, result.NewNote(note.NoEnsembles{Task: string(b.Dataset.Task)}))
		return nil
	}
	models := make([]int, len(b.Models))
	members := make([]chain.Member, len(b.Models))
	for m := range members {
		models[m] = m
		for _, i := range b.Test {
			beta := b.Models[m].Readings[i].Beta
			if m < b.Last() {
				beta = b.Models[m].Beta[i]
			}
			members[m].Beta = append(members[m].Beta, beta)
		}
		members[m].Class, members[m].Err = s.class[m], s.errors[m]
	}
	for _, rule := range rules {
		at, err := chain.Ensemble(members, rule)
		if err != nil {
			return err
		}
		title := "Ensemble, " + string(rule)
		p := b.stages(s, models, at, cost.Parallel)
		if err := b.staged(s, "ensemble-"+string(rule), title, p, nil, true, []result.Note{result.NewNote(note.Ensemble{Models: len(models)})}); err != nil {
			return err
		}
	}
	return nil
}
