package page

import (
	"iter"

	"infnet/harness/policy"
	"infnet/harness/result"
)

// columns are the records of one pair of models on one dataset, as policies are fitted to them.
type columns struct {
	fit, test policy.Records
	labels    map[string]int
	oracle    bool
	objective policy.Objective
}

type place struct{ cascade, dataset string }

// pairs are the columns of all cascades of two models. They are filled while somebody else reads the records, as
// reading them is most of the work of a page.
type pairs map[place]*columns

func newPairs(r *result.Results) pairs {
	p := pairs{}
	for i := range r.Cascades {
		c := &r.Cascades[i]
		if len(c.Models) != 2 {
			continue
		}
		for j := range c.Datasets {
			d := &c.Datasets[j]
			x := &columns{labels: map[string]int{}, oracle: c.Setting == string(policy.Oracle),
				objective: policy.Objective(c.Objective)}
			for k, label := range d.Labels {
				x.labels[label] = k
			}
			x.fit.Classes, x.test.Classes = max(1, len(d.Labels)), max(1, len(d.Labels))
			p[place{c.Name, d.Name}] = x
		}
	}
	return p
}

// watch is the same records; reading them fills the columns.
func (p pairs) watch(records iter.Seq2[result.Record, error]) iter.Seq2[result.Record, error] {
	return func(yield func(result.Record, error) bool) {
		for r, err := range records {
			if x := p[place{r.Cascade, r.Dataset}]; err == nil && x != nil && len(r.Models) == 2 {
				switch r.Part {
				case result.PartFit:
					x.add(&x.fit, r)
				case result.PartTest:
					x.add(&x.test, r)
				}
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func (x *columns) add(to *policy.Records, r result.Record) {
	student, master := r.Models[0], r.Models[1]
	to.Class = append(to.Class, x.labels[student.Class])
	to.Beta = append(to.Beta, student.Beta)
	to.Student = append(to.Student, student.Error)
	if !x.oracle {
		to.Master = append(to.Master, master.Error)
	}
	switch x.objective {
	case policy.Cost:
		to.MasterCost = append(to.MasterCost, master.Cost)
	case policy.Latency:
		to.MasterCost = append(to.MasterCost, master.LatencySecs)
	}
}
