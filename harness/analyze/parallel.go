package analyze

import (
	"fmt"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/harness/task"
)

// ensembles adds the rows in which every model answers every query.
func (b *Bench) ensembles(s *scorer) error {
	rules := b.in.Study.Policy.Ensembles
	if len(rules) == 0 {
		return nil
	}
	if b.Dataset.Task != task.Classification {
		b.out.Notes = append(b.out.Notes, result.Note{Kind: "ensembles", Text: fmt.Sprintf(
			"No ensembles: they vote on classes, and this is a task of %s.", b.Dataset.Task)})
		return nil
	}
	models := make([]int, len(b.cols))
	members := make([]policy.Member, len(b.cols))
	for m := range members {
		models[m] = m
		for _, i := range b.test {
			beta := b.readings[m][i].Beta
			if m < b.last() {
				beta = b.beta[m][i]
			}
			members[m].Beta = append(members[m].Beta, beta)
		}
		members[m].Class, members[m].Err = s.class[m], s.errors[m]
	}
	for _, rule := range rules {
		at, err := policy.Ensemble(members, rule)
		if err != nil {
			return err
		}
		text := "Every model answers every query and is paid for."
		if len(models) == 2 {
			text += " Two models that disagree are a tie, which the surer one wins (equally sure: the master), so that both rules decide alike."
		} else {
			text += " A tie goes to the surest model of the tied classes (equally sure: the later)."
		}
		title := "Ensemble, " + string(rule)
		p := b.stages(s, models, at, cost.Parallel)
		if err := b.staged(s, "ensemble-"+string(rule), title, p, nil, true, []result.Note{{Kind: "ensemble", Text: text}}); err != nil {
			return err
		}
	}
	return nil
}
