package page

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"strings"

	"infnet/harness/policy"
	"infnet/harness/result"
)

// group is one pair of models on one dataset: what the page's slider looks up.
type group struct {
	Cascade   string `json:"cascade"`
	Dataset   string `json:"dataset"`
	Student   string `json:"student"`
	Master    string `json:"master"`
	Setting   string `json:"setting"`
	Objective string `json:"objective"`
	Why       string `json:"why,omitempty"` // why there are no thresholds to look up

	// what sets the study's own thresholds apart from what infnet fit finds, in a sentence
	Apart string `json:"apart,omitempty"`

	Classes []string `json:"classes,omitempty"` // of thresholds per class, in their order
	Fit     alone    `json:"fit"`
	Test    alone    `json:"test"`

	Budgets []int64        `json:"budgets,omitempty"` // of every position of the slider: errors allowed, in units
	Targets []string       `json:"targets,omitempty"` // of every position
	Marks   []mark         `json:"marks,omitempty"`
	Single  *thresholdPath `json:"single,omitempty"`
	Multi   *thresholdPath `json:"multi,omitempty"`

	Ratio *float64 `json:"ratio,omitempty"` // the student's cost over the master's; nil = not defined
}

// alone is what the models do by themselves on a part.
type alone struct {
	Records int   `json:"records"`
	Scale   int64 `json:"scale"` // units of an error: 1, or 2³² where errors are soft
	Student int64 `json:"student"`
	Master  int64 `json:"master"`
}

type mark struct {
	Name string `json:"name"`
	At   int    `json:"at"`
}

// thresholdPath is what thresholds of one form can do on the fit part, fewest errors first, and what the same
// thresholds do on the test part.
type thresholdPath struct {
	At           []int     `json:"at"`     // the point of every position
	Errors       []int64   `json:"errors"` // of every point, in units; likewise all below
	Deferred     []int     `json:"deferred"`
	TestErrors   []int64   `json:"test_errors"`
	TestDeferred []int     `json:"test_deferred"`
	Thetas       [][]theta `json:"thetas"` // by class
}

func groupsOf(results *result.Results, p pairs) ([]group, error) {
	var out []group
	for i := range results.Cascades {
		c := &results.Cascades[i]
		if len(c.Models) != 2 {
			continue
		}
		for j := range c.Datasets {
			d := &c.Datasets[j]
			g := group{Cascade: c.Name, Dataset: d.Name, Student: c.Models[0], Master: c.Models[1], Setting: c.Setting,
				Objective: c.Objective}
			if len(d.Costs) == 2 && d.Costs[1].Value > 0 && !math.IsInf(d.Costs[0].Value/d.Costs[1].Value, 0) {
				g.Ratio = new(d.Costs[0].Value / d.Costs[1].Value)
			}
			if err := g.explore(c, d, p[place{c.Name, d.Name}]); err != nil {
				return nil, fmt.Errorf("cascade %s on dataset %s: %w", c.Name, d.Name, err)
			}
			out = append(out, g)
		}
	}
	return out, nil
}

// explore fills in the positions and what thresholds do at each.
func (g *group) explore(c *result.Cascade, d *result.Dataset, x *columns) error {
	single, multi := d.Row("single") != nil, d.Row("multi") != nil
	switch {
	case x == nil || x.fit.Len() == 0:
		g.Why = "No record of the fit part has an answer of both models."
		return nil
	case !single && !multi:
		g.Why = "The study fits no thresholds here."
		return nil
	}
	target, err := policy.ParseTarget(d.Budget.Target)
	if err != nil {
		return err
	}
	options := policy.Options{Setting: policy.Setting(c.Setting), Objective: policy.Objective(c.Objective), Target: target}
	var paths []*path
	for _, form := range []struct {
		wanted bool
		make   func(policy.Records, policy.Options) (*policy.Frontier, error)
		into   **thresholdPath
	}{{single, policy.FrontierSingle, &g.Single}, {multi, policy.FrontierMulti, &g.Multi}} {
		if !form.wanted {
			continue
		}
		f, err := form.make(x.fit, options)
		if err != nil {
			return err
		}
		paths = append(paths, &path{front: f, into: form.into})
	}
	g.count(x)
	g.Apart = apart(c, d)
	if multi {
		g.Classes = d.Labels
	}
	all, err := g.positions(paths, options)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if *p.into, err = p.pack(all, x.test); err != nil {
			return err
		}
	}
	return nil
}

// apart says what sets the study's thresholds apart from those of infnet fit; "" = nothing.
func apart(c *result.Cascade, d *result.Dataset) string {
	var out []string
	if o := policy.Objective(c.Objective); o == policy.Cost {
		out = append(out, fmt.Sprintf("Thresholds minimise the master's %s on the deferred records here, as in the study; "+
			"infnet fit minimises their number.", o))
	}
	for _, p := range d.Policies {
		if exact := p.Method == string(policy.Exact) || p.Method == string(policy.Linear); !exact &&
			(p.Policy == "single" || p.Policy == "multi") {
			out = append(out, fmt.Sprintf("The study's own thresholds (%s) are found by the method %s; every position here "+
				"is exact.", p.Policy, p.Method))
		}
	}
	return strings.Join(out, " ")
}

func (g *group) count(x *columns) {
	for _, part := range []struct {
		records policy.Records
		into    *alone
	}{{x.fit, &g.Fit}, {x.test, &g.Test}} {
		a := alone{Records: part.records.Len(), Scale: policy.Scale(part.records.Student, part.records.Master)}
		for i, e := range part.records.Student {
			a.Student += policy.Units(e, a.Scale)
			a.Master += policy.Units(part.records.MasterError(i), a.Scale)
		}
		*part.into = a
	}
}

// theta is a threshold, which may be infinite: then it is a text, as JSON has no such number.
type theta float64

// MarshalJSON writes a finite threshold as a number.
func (x theta) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(x), 0) {
		return json.Marshal(fmt.Sprint(float64(x)))
	}
	return json.Marshal(float64(x))
}

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
	if x.objective == policy.Cost {
		to.MasterCost = append(to.MasterCost, master.Cost)
	}
}
