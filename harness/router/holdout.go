package router

import (
	"cmp"
	"slices"

	"infnet/harness/split"
)

// HeldOut is the share of a learner's records that is held out.
const HeldOut = 0.15

// HoldOut divides the samples into those to train on and those held out for
// early stopping and calibration, positions ascending in the order of the ids:
// share of the records of each label are held out, groups as wholes. The choice
// depends only on the seed, the task's name and the ids. If a label's share rounds
// to nothing, or groups are too large, the held-out part may lack a label. If the
// training part would lack one, nothing is held out.
func (t Task) HoldOut(share float64) (train, held []int) {
	order := t.ByID()
	items := make([]split.Item, len(order))
	for k, i := range order {
		items[k] = split.Item{ID: t.Samples[i].ID, Group: t.Samples[i].Group, Class: int(t.Labels[i])}
	}
	parts, err := split.Split(split.Options{Seed: t.Seed, Name: t.Name + "/held-out", Fit: 1 - share, Stratify: true},
		items)
	if err != nil { // too few to divide, or ids that occur twice, which a fit refuses itself
		return order, nil
	}
	pick := func(at []int) []int {
		out := make([]int, len(at))
		for k, i := range at {
			out[k] = order[i]
		}
		return out
	}
	if train = pick(parts.Fit); t.only(train).oneLabel() {
		return order, nil
	}
	return train, pick(parts.Test)
}

// ByID returns the positions of the samples in the order of their ids. Learners use
// this order, so that the order of the samples does not matter.
func (t Task) ByID() []int {
	order := make([]int, len(t.Samples))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Samples[a].ID, t.Samples[b].ID) })
	return order
}
