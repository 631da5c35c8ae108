package spec

import (
	"fmt"
	"slices"

	"infnet/harness/confidence"
	"infnet/harness/policy"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// ByDataset is the value of Transfer.By for which a domain is a dataset.
const ByDataset = "dataset"

// LeastDomain is the number of records that the fit and the test part of a domain, and a point of a learning curve,
// have at least.
const LeastDomain = 10

// Chains are the study's cascades and those of its grid.
func (s *Study) Chains() []Cascade {
	if s.Grid == nil {
		return s.Cascades
	}
	return slices.Concat(s.Cascades, s.Grid.Cascades)
}

// checkGrid checks the axes, each by itself; nil where there are none.
func checkGrid(f *file, g *Grid, s *Study) *Grid {
	if g == nil {
		return nil
	}
	if g.Target == nil && g.Tau == nil && g.FitRecords == nil && g.Models == nil && g.Seed == nil && !f.bad["grid"] &&
		!f.faulty("grid") {
		f.wrong("grid", "no setting is varied", "write a list, such as target = [0.85, 0.9, 0.95], or leave the table out")
	}
	for i, t := range g.Target {
		p := s.Policy
		p.Target = t
		at := place.Element("grid.target", i)
		if _, number := t.Numeric(); p.Setting == policy.Oracle && !number {
			f.wrong(at, fmt.Sprintf("target %s in the oracle setting: the master never errs there, so its error count is no "+
				"budget", t), "give a number, the agreement with the master: 0.95")
		} else if p.Guarantee != nil {
			if err := p.Guarantee.Check(policy.Options{Setting: p.Setting, Target: t}); err != nil {
				f.wrong(at, "with the study's guarantee: "+err.Error(), "")
			}
		}
	}
	within(f, "grid.tau", g.Tau, func(x float64) bool { return x > 0 && x <= 1 }, "a score is more than 0 and up to 1")
	within(f, "grid.fit_records", g.FitRecords, func(n int) bool { return n >= LeastDomain },
		fmt.Sprintf("thresholds of fewer than %d records say nothing", LeastDomain))
	within(f, "grid.seed", g.Seed, func(n int64) bool { return n >= 0 }, "a seed is 0 or more")
	distinct(f, "grid.target", g.Target, policy.Target.Equal)
	if len(g.Seed) == 1 {
		f.wrong("grid.seed", "one seed has no spread", "name two or more")
	}
	return g
}

// within refuses entries of a list that are outside a range, or there twice.
func within[T comparable](f *file, key string, list []T, in func(T) bool, why string) {
	for i, x := range list {
		if !in(x) {
			f.wrong(place.Element(key, i), fmt.Sprintf("%v is out of range: %s", x, why), "")
		}
	}
	distinct(f, key, list, func(a, b T) bool { return a == b })
}

// distinct refuses entries that are there twice.
func distinct[T any](f *file, key string, list []T, equal func(a, b T) bool) {
	for i, x := range list {
		j := slices.IndexFunc(list, func(y T) bool { return equal(x, y) })
		if j < i && !f.bad[place.Element(key, i)] {
			f.wrong(place.Element(key, i), "the same as "+place.Element(key, j), "name it once")
		}
	}
}

// grid checks the cascades of the grid, which are measured on what the study's are.
func (c *cascadeCheck) grid(s *Study) {
	g := s.Grid
	if g == nil {
		return
	}
	if len(s.Cascades) == 0 && c.main.raw.Cascades == nil {
		c.main.wrong("grid", "there is no cascade whose settings could be varied", "add [[cascades]]: pools have no grid")
	}
	var datasets []string
	for _, x := range s.Cascades {
		for _, name := range x.Datasets {
			if !slices.Contains(datasets, name) {
				datasets = append(datasets, name)
			}
		}
	}
	for i, models := range g.Models {
		chain := c.cascade("grid", place.Element("grid.models", i), rawCascade{Models: models, Datasets: datasets})
		g.Cascades = append(g.Cascades, chain)
		c.chains = append(c.chains, chain)
	}
	distinct(c.main, "grid.models", g.Models, slices.Equal)
}

// checkVaried refuses axes that vary nothing on the study's datasets.
func checkVaried(s *Study, main *file) {
	if s.Grid == nil || s.Grid.Tau == nil {
		return
	}
	if !slices.ContainsFunc(s.Datasets, func(d Dataset) bool { return d.Correct.Tau > 0 || d.Task == "" }) {
		main.wrong("grid.tau", "no dataset's rule has a threshold", "tau is of token-f1, rouge-l, cosine, and scores of "+
			"command and recorded that state one")
	}
}

// checkTransfer checks between what policies are transferred; nil where they are not.
func checkTransfer(f *file, t *Transfer, s *Study) *Transfer {
	if t == nil {
		return nil
	}
	if t.By == "" && !f.faulty("transfer") {
		f.missing("transfer", "by", "by = \"dataset\", or the name of a column")
	}
	if s.Policy.Target.Equal(policy.Min) {
		f.wrong("transfer", "target min is the least error of any thresholds on the records that they are fitted on: "+
			"elsewhere it is no budget", "set policy.target to master, student, best or a number")
	}
	return t
}

// domain says which column of a dataset holds its domains.
func (c *datasetCheck) domain() {
	t := c.study.Transfer
	if t == nil || t.By == "" || t.By == ByDataset {
		return
	}
	if c.builtin != nil && !slices.Contains(c.builtin.Fields, t.By) {
		c.main.wrong("transfer.by", fmt.Sprintf("the built-in dataset %s has no field %q", c.name, t.By),
			place.Suggest(t.By, c.builtin.Fields))
	}
	c.out.DomainColumn = t.By
}

// checkDomains refuses a transfer between datasets whose errors are not of one kind, or with nothing to transfer to.
func checkDomains(s *Study, main *file) {
	if s.Transfer == nil || s.Transfer.By != ByDataset {
		return
	}
	several := false
	for _, c := range s.Cascades {
		var first *Dataset
		for _, name := range c.Datasets {
			d, ok := s.Dataset(name)
			switch {
			case !ok || d.Task == "":
				continue
			case first == nil:
				first = d
				continue
			}
			several = true
			if why := unlike(first, d, s.Policy.Calibration); why != "" {
				main.wrong("transfer.by", fmt.Sprintf("cascade %s: %s, and an error there is another thing", c.Name, why),
					"give the cascade datasets of one task and one rule (datasets = […]), or transfer by a column")
				return
			}
		}
	}
	if !several && len(s.Datasets) > 0 && len(s.LeftOut) == 0 {
		main.wrong("transfer.by", "no cascade has two datasets",
			"name a column whose values divide a dataset, or add a dataset")
	}
}

// unlike says why policies cannot be transferred between two datasets; "" = they can.
func unlike(a, b *Dataset, calibration confidence.Calibration) string {
	kind := func(d *Dataset) string {
		if d.Task == task.Classification {
			return string(d.Task)
		}
		return "texts" // read, and scored, alike
	}
	x, y := a.Correct, b.Correct
	switch {
	case kind(a) != kind(b):
		return fmt.Sprintf("%s is a task of %s and %s one of %s", a.Name, a.Task, b.Name, b.Task)
	case !slices.Equal(x.All(), y.All()) || !slices.Equal(x.Command, y.Command):
		return fmt.Sprintf("%s is judged by %s and %s by %s", a.Name, x, b.Name, y)
	case x.Tau != y.Tau || x.Soft != y.Soft || x.Tolerance != y.Tolerance:
		return fmt.Sprintf("%s and %s are judged by %s with other settings (tau, soft, tolerance)", a.Name, b.Name, x)
	case calibration == confidence.IsotonicPerClass && !slices.Equal(a.Labels, b.Labels):
		return fmt.Sprintf("%s and %s have other classes, and calibration %s is by class", a.Name, b.Name, calibration)
	}
	return ""
}
