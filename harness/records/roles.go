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

// Numbers of folds by which the fit part is cross-fitted.
const (
	calibrationFolds = 5
	LearnedFolds     = 5
)

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

// roles divides the fit part for everything that the study asks for.
func roles(p *preparation, parts split.Parts) (Roles, error) {
	out := Roles{Parts: parts}
	items, graph := p.Sheet.Items(p.Fit), parts.Graph.Roles
	fold := func(what string, k int) (split.Folds, error) {
		folds, err := split.KFold(split.FoldOptions{Seed: p.Study.Seed, Name: p.Stream() + "/" + what, K: k}, items)
		if err == nil {
			graph = append(graph, folds.Roles(what, items)...)
		}
		return folds, err
	}
	var err error
	if p.Score() == confidence.Quantiles {
		if out.Quantiles, err = fold("quantiles", calibrationFolds); err != nil {
			return out, fmt.Errorf("confidence %s: %w", confidence.Quantiles, err)
		}
	}
	if c := p.Study.Policy.Calibration; c != "" && c != confidence.NoCalibration {
		if out.Calibration, err = fold("calibration", calibrationFolds); err != nil {
			return out, fmt.Errorf("calibration: %w", err)
		}
	}
	if p.Cascade.Pool {
		if Units(p.Records) >= LearnedFolds {
			if out.Learned, err = fold("learned", LearnedFolds); err != nil {
				return out, err
			}
		}
		out.Graph = split.NewGraph(graph...)
		return out, nil
	}
	halve := func() {
		halves, roles := halves(p)
		out.Halves, graph = halves, append(graph, roles...)
	}
	g := p.Study.Policy.Guarantee
	if p.IsChain() { // what follows is for two models
		if g != nil && g.Method == guarantee.LearnThenTest {
			halve()
		}
		out.Graph = split.NewGraph(graph...)
		return out, nil
	}
	if s := p.Study.Sufficiency; s != nil && p.Repeat == 0 {
		name := p.Cascade.Name + "/" + p.Dataset.Name
		out.Sufficiency, err = sufficiency.Divide(items,
			sufficiency.Options{Seed: p.Study.Seed, Name: name, Folds: sufficiency.Folds})
		switch {
		case errors.As(err, &out.TooFew):
		case err != nil:
			return out, fmt.Errorf("sufficiency: %w", err)
		default:
			graph = append(graph, out.Sufficiency.Roles("sufficiency", items)...)
		}
	}
	if len(p.Study.Confidence.Signals) > 0 && p.Repeat == 0 {
		out.Signals, err = sufficiency.Divide(items, sufficiency.Options{Seed: p.Study.Seed, Name: p.SignalsName(),
			Folds: sufficiency.Folds})
		if err == nil {
			graph = append(graph, out.Signals.Roles("signals", items)...)
		} else if few := new(sufficiency.TooFewError); !errors.As(err, &few) {
			return out, fmt.Errorf("signals: %w", err)
		}
	}
	learns := slices.ContainsFunc(p.Study.Baselines, func(b spec.Baseline) bool { return b.Kind.Learns() })
	if learns && Units(p.Records) >= LearnedFolds {
		if out.Learned, err = fold("learned", LearnedFolds); err != nil {
			return out, err
		}
	}
	if g != nil {
		halve()
	}
	out.Graph = split.NewGraph(graph...)
	return out, nil
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
