package records

import (
	"errors"
	"fmt"
	"slices"

	"infnet/harness/confidence"
	"infnet/harness/policy/guarantee"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/harness/split"
	"infnet/sufficiency"
)

// LearnedFolds is the number of folds by which the fit part is cross-fitted.
const LearnedFolds = 5

// Roles are the roles of every record. Folds and halves divide the fit part, by
// positions in Records.Fit; a division that the study does not need has no folds.
type Roles struct {
	Parts       split.Parts // of all examples, used or not
	Graph       split.Graph // every role there is, with its hash
	Quantiles   split.Folds // of the regression of confidences
	Calibration split.Folds
	Sufficiency split.Folds
	Learned     split.Folds // of the baselines that learn
	Signals     split.Folds // of the signals' combination, and of the tests which adds to which
	Halves      guarantee.Halves

	TooFew *sufficiency.TooFewError // why the sufficiency test has no folds; nil = it has folds, or is not asked for
}

func roles(p *preparation, parts split.Parts) (out Roles, err error) {
	out.Parts = parts
	items, graph := p.Sheet.Items(p.Fit), parts.Graph.Roles
	fold := func(what, about string) (folds split.Folds) {
		if err != nil {
			return folds
		}
		folds, err = split.KFold(split.FoldOptions{Seed: p.Study.Seed, Name: p.Stream() + "/" + what, K: LearnedFolds}, items)
		if err != nil {
			err = fmt.Errorf("%s: %w", about, err)
			return folds
		}
		graph = append(graph, folds.Roles(what, items)...)
		return folds
	}
	// by the sufficiency test's folds, where the records are enough for it
	divide := func(what, name string) (folds split.Folds, few *sufficiency.TooFewError) {
		if err != nil {
			return folds, nil
		}
		folds, err = sufficiency.Divide(items, sufficiency.Options{Seed: p.Study.Seed, Name: name, Folds: sufficiency.Folds})
		switch {
		case errors.As(err, &few):
			err = nil
		case err != nil:
			err = fmt.Errorf("%s: %w", what, err)
		default:
			graph = append(graph, folds.Roles(what, items)...)
		}
		return folds, few
	}
	pair := !p.Cascade.Pool && !p.IsChain()
	if p.Score() == confidence.Quantiles {
		out.Quantiles = fold("quantiles", "confidence "+string(confidence.Quantiles))
	}
	if c := p.Study.Policy.Calibration; c != "" && c != confidence.NoCalibration {
		out.Calibration = fold("calibration", "calibration")
	}
	if pair && p.Study.Sufficiency != nil && p.Repeat == 0 {
		out.Sufficiency, out.TooFew = divide("sufficiency", p.Cascade.Name+"/"+p.Dataset.Name)
	}
	if pair && len(p.Study.Confidence.Signals) > 0 && p.Repeat == 0 {
		out.Signals, _ = divide("signals", p.SignalsName())
	}
	learns := slices.ContainsFunc(p.Study.Baselines, func(b spec.Baseline) bool { return b.Kind.Learns() })
	if (p.Cascade.Pool || pair && learns) && Units(p.Records) >= LearnedFolds {
		out.Learned = fold("learned", "learned")
	}
	if g := p.Study.Policy.Guarantee; g != nil && pair {
		var own []split.Role
		out.Halves, own = halves(p)
		graph = append(graph, own...)
	}
	out.Graph = split.NewGraph(graph...)
	return out, err
}

// halves divides the fit part at random and keeps groups whole: one half proposes
// thresholds, the other tests them.
func halves(p *preparation) (guarantee.Halves, []split.Role) {
	var h guarantee.Halves
	side := map[string]bool{}
	roles := []split.Role{{Name: "guarantee/propose"}, {Name: "guarantee/test"}}
	for k, i := range p.Fit {
		e := p.Set.Examples[i]
		tests := seed.Uniform(p.Study.Seed, "guarantee", p.Stream(), e.ID) < 0.5
		if e.Group != "" {
			if _, ok := side[e.Group]; !ok {
				side[e.Group] = tests
			}
			tests = side[e.Group]
		}
		half, role := &h.Propose, &roles[0]
		if tests {
			half, role = &h.Test, &roles[1]
		}
		*half = append(*half, k)
		role.IDs = append(role.IDs, e.ID)
	}
	h.Cluster = Clusters(p.Records, p.Fit)
	sizes := map[string]int{}
	for _, e := range p.Set.Examples {
		if e.Group != "" {
			sizes[e.Group]++
			h.Largest = max(h.Largest, sizes[e.Group])
		}
	}
	if h.Cluster == nil && h.Largest > 0 {
		h.Cluster = make([]int, len(p.Fit)) // the study has groups, and none fell into the fit part
		for k := range h.Cluster {
			h.Cluster[k] = k
		}
	}
	h.Shuffle(seed.Stream(p.Study.Seed, "guarantee", p.Stream()))
	return h, roles
}

// Units counts the units that are divided into folds: groups of fit records, and
// records without a group.
func Units(r *Records) int {
	n, seen := 0, map[string]bool{}
	for _, item := range r.Sheet.Items(r.Fit) {
		if item.Group == "" || !seen[item.Group] {
			n++
		}
		seen[item.Group] = true
	}
	return n
}

// Clusters numbers the groups of some examples. An example without a group is its
// own cluster. nil = none has a group.
func Clusters(r *Records, examples []int) []int {
	number, grouped := map[string]int{}, false
	out := make([]int, len(examples))
	for k, i := range examples {
		group := r.Set.Examples[i].Group
		if group == "" {
			out[k] = -1 - k
			continue
		}
		if _, ok := number[group]; !ok {
			number[group] = len(number)
		}
		out[k], grouped = number[group], true
	}
	if !grouped {
		return nil
	}
	return out
}

// Stream returns the dataset's name for random streams: every repeated split has
// its own draws.
func (r *Records) Stream() string {
	if r.Repeat == 0 {
		return r.Dataset.Name
	}
	return fmt.Sprintf("%s/repeat %d", r.Dataset.Name, r.Repeat)
}

// SignalsName names the random streams of the tests which signal adds to which.
func (r *Records) SignalsName() string { return r.Cascade.Name + "/" + r.Dataset.Name + "/signals" }
