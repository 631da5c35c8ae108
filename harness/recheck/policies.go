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

// deployed is a fitted policy of the study's run in which the model decides.
type deployed struct {
	name       string // for people
	file       deploy.File
	scale      confidence.Scale
	calibrator confidence.Calibrator
}

// read reads an answer on a scale; class is "" where there are none.
func (s *Set) read(scale confidence.Scale, given backends.Answer) (read confidence.Reading, class string, err error) {
	heard, err := s.Sheet.Heard(given)
	if err == nil {
		read, err = scale.Read(heard)
	}
	if err == nil && s.Task == task.Classification {
		class = s.Labels[read.Class].Class
	}
	return read, class, err
}

// reading returns what counts of an answer.
func (st *Study) reading(s *Set, given backends.Answer) Reading {
	read, class, err := s.read(confidence.Scale{Score: st.score(s)}, given)
	out := Reading{Answer: class, Scored: err == nil && !given.NoLogprobs, Beta: read.Beta, Given: given}
	if s.Task != task.Classification {
		said, _ := s.Sheet.Said(given)
		out.Answer = strings.ToLower(strings.Join(strings.Fields(said.Text), " "))
	}
	return out
}

// decisions are those of every policy on the stored and the first fresh answer.
func (it *Item) decisions(policies []deployed, study uint64) (out []Decision) {
	for _, p := range policies {
		before, err := p.accepts(it, study, it.Stored.Given)
		after, errNow := p.accepts(it, study, it.Fresh[0].Given)
		if err == nil && errNow == nil {
			out = append(out, Decision{Policy: p.name, Before: before, After: after})
		}
	}
	return out
}

// accepts reports whether a policy accepts an answer.
func (p *deployed) accepts(it *Item, study uint64, given backends.Answer) (bool, error) {
	read, class, err := it.set.read(p.scale, given)
	if err != nil {
		return false, err
	}
	bar, known := p.file.Threshold(class, seed.Uniform(study, "mixture", it.ID))
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
	main := func(f deploy.File) int { return -slices.Index([]string{"single", "multi"}, f.Policy) } // the least first
	slices.SortStableFunc(list, func(a, b deployed) int {
		return cmp.Or(cmp.Compare(a.file.Master.Name, b.file.Master.Name), main(a.file)-main(b.file))
	})
	return slices.CompactFunc(list, func(a, b deployed) bool { return a.file.Master.Name == b.file.Master.Name })
}
