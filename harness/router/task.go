package router

import (
	"cmp"
	"errors"
	"fmt"
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
	if train = pickOf(order, parts.Fit); t.only(train).oneLabel() {
		return order, nil
	}
	return train, pickOf(order, parts.Test)
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

// only returns the task restricted to some of the samples.
func (t Task) only(at []int) Task {
	t.Samples = pickOf(t.Samples, at)
	if t.Labels != nil {
		t.Labels = pickOf(t.Labels, at)
	}
	each := func(columns [][]float64) (out [][]float64) {
		for _, c := range columns {
			out = append(out, pickOf(c, at))
		}
		return out
	}
	t.Quality, t.Cost = each(t.Quality), each(t.Cost)
	return t
}

func (t Task) oneLabel() bool {
	return !slices.ContainsFunc(t.Labels, func(y float64) bool { return y != t.Labels[0] })
}

// report starts a report, and refuses a task that cannot be learned.
func (t Task) report() (Report, error) {
	r := Report{Records: len(t.Samples), Ones: onesOf(t.Labels)}
	if len(t.Labels) != len(t.Samples) {
		return r, fmt.Errorf("%d labels for %d records", len(t.Labels), len(t.Samples))
	}
	for i, y := range t.Labels {
		if y != 0 && y != 1 {
			return r, fmt.Errorf("record %s has the label %v: want 0 or 1", t.Samples[i].ID, y)
		}
	}
	if r.Ones == 0 || r.Ones == r.Records {
		return r, errors.New("the records have only one label: there is nothing to learn")
	}
	return r, nil
}

func onesOf(labels []float64) (n int) {
	for _, y := range labels {
		n += int(y)
	}
	return n
}

func pickOf[T any](list []T, at []int) []T {
	out := make([]T, len(at))
	for k, i := range at {
		out[k] = list[i]
	}
	return out
}
