package recheck

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/policy/deploy"
	"infnet/harness/regular"
	"infnet/harness/seed"
	"infnet/harness/task"
)

// answerReader reads answers of one model to one dataset.
type answerReader struct {
	*Set
	score    confidence.Score
	seed     uint64
	policies []deployed
}

// deployed is a fitted policy of the study's run in which the model decides.
type deployed struct {
	name       string // for people
	file       deploy.File
	scale      confidence.Scale
	calibrator confidence.Calibrator
}

// reading returns what counts of an answer.
func (a *answerReader) reading(given backends.Answer) Reading {
	read := confidence.Reading{}
	heard, err := a.Sheet.Heard(given)
	if err == nil {
		read, err = confidence.Scale{Score: a.score}.Read(heard)
	}
	out := Reading{Scored: err == nil && !given.NoLogprobs, Beta: read.Beta}
	switch {
	case a.Task != task.Classification:
		said, _ := a.Sheet.Said(given)
		out.Answer = strings.ToLower(strings.Join(strings.Fields(said.Text), " "))
	case err == nil:
		out.Answer = a.Labels[read.Class].Class
	}
	return out
}

// decisions are those of every policy on the stored and the fresh answer.
func (a *answerReader) decisions(id string, stored, fresh backends.Answer) (out []Decision) {
	for _, p := range a.policies {
		before, err := a.accepts(p, id, stored)
		after, errNow := a.accepts(p, id, fresh)
		if err == nil && errNow == nil {
			out = append(out, Decision{Policy: p.name, Before: before, After: after})
		}
	}
	return out
}

// accepts reports whether a policy accepts an answer.
func (a *answerReader) accepts(p deployed, id string, given backends.Answer) (bool, error) {
	heard, err := a.Sheet.Heard(given)
	if err != nil {
		return false, err
	}
	read, err := p.scale.Read(heard)
	if err != nil {
		return false, err
	}
	class := ""
	if a.Task == task.Classification {
		class = a.Labels[read.Class].Class
	}
	bar, known := p.file.Threshold(class, seed.Uniform(a.seed, "mixture", id))
	method, curves := p.calibrator.Method, len(p.calibrator.Curves)
	if method == confidence.IsotonicPerClass && read.Class >= curves || method == confidence.Isotonic && curves == 0 ||
		method == confidence.Temperature && len(read.Probs) == 0 {
		return false, fmt.Errorf("the policy lacks what calibrates class %d", read.Class)
	}
	return known && p.calibrator.Apply(read) >= bar.Theta, nil
}

// deployed lists the policies of the study's run in which the model decides on the dataset, one for each cascade: a
// threshold per class where there are classes, else one.
func (st *Study) deployed(m *Subject, s *Set) (list []deployed) {
	text, err := regular.ReadFile(st.Policies)
	if err != nil {
		return nil
	}
	policies, err := deploy.Decode(text)
	if err != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(policies)) {
		f := policies[name]
		if f.Study != st.Name || f.Dataset != s.Name || f.Student.Name != m.Name ||
			f.Student.Revision != m.ID.Revision || f.Master.Name == m.Name { // the master's own answers, in another's policy
			continue
		}
		p := deployed{name: fmt.Sprintf("%s→%s on %s, %s", f.Student.Name, f.Master.Name, f.Dataset, f.Policy), file: f}
		p.scale, err = confidence.OfParameters(confidence.Score(f.Confidence.Score), f.Confidence.Parameters)
		if err != nil {
			continue // the score "quantiles": its regression is not in the file's parameters
		}
		p.calibrator = confidence.Calibrator{Method: confidence.Calibration(f.Calibration.Method),
			Parameters: f.Calibration.Parameters, Curves: f.Calibration.Curves}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b deployed) int {
		return cmp.Or(cmp.Compare(a.file.Master.Name, b.file.Master.Name), rank(a.file)-rank(b.file))
	})
	return slices.CompactFunc(list, func(a, b deployed) bool { return a.file.Master.Name == b.file.Master.Name })
}

// rank orders the policies of a cascade: the study's main ones first.
func rank(f deploy.File) int {
	switch f.Policy {
	case "multi":
		return 0
	case "single":
		return 1
	}
	return 2
}
