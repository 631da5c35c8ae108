package spec

import (
	"fmt"
	"reflect"
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

// checkGrid checks the axes, each by itself; nil where there are none.
func checkGrid(f *file, g *Grid, s *Study) *Grid {
	if g == nil {
		return nil
	}
	if reflect.DeepEqual(*g, Grid{}) && !f.bad["grid"] && !f.faulty("grid") {
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
	if len(g.Seed) == 1 {
		f.wrong("grid.seed", "one seed has no spread", "name two or more")
	}
	return g
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
	case x.Tau != y.Tau || x.Soft != y.Soft:
		return fmt.Sprintf("%s and %s are judged by %s with other settings (tau, soft)", a.Name, b.Name, x)
	case calibration == confidence.IsotonicPerClass && !slices.Equal(a.Labels, b.Labels):
		return fmt.Sprintf("%s and %s have other classes, and calibration %s is by class", a.Name, b.Name, calibration)
	}
	return ""
}
