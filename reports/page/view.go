package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/result"
	"infnet/reports"
	"infnet/reports/page/drill"
	"infnet/reports/table"
)

type view struct {
	Lead    string
	Alarms  []alarm
	Parts   []part // of the page, as its navigation lists them
	Cards   []card
	First   []shownFigure
	Groups  []group
	Beyond  string // what the slider does not cover
	Records []way
	Tables  []shownTable
	Figures []figureGroup
	Left    string // of figures left out
	Facts   []facts
	caveats []caveat
}

type part struct{ ID, Title string }

// alarm is what must be read before anything else.
type alarm struct{ Head, Text string }

type way struct {
	Cascade, Dataset string
	Title, Of        string
	Records          int
}

type data struct {
	Study  string  `json:"study"`
	Level  float64 `json:"level"`
	Groups string  `json:"groups"` // packed JSON
	Start  int     `json:"start"`  // the group that is seen first: of the best outcome
}

func makeView(in Input, p pairs) (*view, *data, error) {
	r := in.Results
	v := &view{Lead: lead(r), Alarms: alarms(in), Cards: cards(r), Beyond: beyond(r), Facts: provenance(r)}
	v.caveats = caveats(r, v.Cards)
	d := &data{Study: r.Name, Level: r.Level}
	groups, err := groupsOf(r, p)
	if err != nil {
		return nil, nil, err
	}
	for _, g := range groups {
		if g.Why == "" {
			v.Groups = groups
		}
	}
	plain, err := json.Marshal(groups)
	if err != nil {
		return nil, nil, err
	}
	d.Groups = drill.Pack(plain)
	d.Start = start(groups, v.Cards)
	if in.Records != nil {
		v.Records = ways(r)
	}
	v.Tables = tablesOf(r)
	left := 0
	if v.First, v.Figures, left, err = figuresOf(r, v.Many()); err != nil {
		return nil, nil, err
	}
	if left > 0 {
		v.Left = were(left, "figure") + " left out to keep this page small; all are in the folder figures of the run."
	}
	v.parts()
	return v, d, nil
}

// start is the place of the group whose outcome is best; the first, where several are.
func start(groups []group, outcomes []card) int {
	for _, best := range []reports.Verdict{reports.WorthIt, reports.ErrsLess, reports.NotShown, reports.ErrsMore} {
		for _, c := range outcomes {
			at := slices.IndexFunc(groups, func(g group) bool {
				return g.Why == "" && g.Cascade == c.Cascade && g.Dataset == c.Dataset
			})
			if at >= 0 && c.Verdict == string(best) {
				return at
			}
		}
	}
	return 0
}

// Many reports whether the outcomes are rows of a table.
func (v *view) Many() bool { return len(v.Cards) > mostCards }

// Paired reports whether a dataset's name alone does not say whose outcome it is.
func (v *view) Paired() bool {
	return slices.ContainsFunc(v.Cards, func(c card) bool { return c.Models != "" })
}

// Several reports whether there is more than one dataset.
func (v *view) Several() bool {
	return slices.ContainsFunc(v.Cards, func(c card) bool { return c.Name != v.Cards[0].Name })
}

func ways(r *result.Results) (out []way) {
	for _, c := range r.Cascades {
		for _, d := range c.Datasets {
			w, models := way{Cascade: c.Name, Dataset: d.Name, Records: d.Counts.Records}, ""
			if len(r.Cascades) > 1 {
				models = table.Clean(strings.Join(c.Models, " → "))
			}
			w.Title, w.Of = titles(table.Clean(d.Name), models, oneDataset(r))
			out = append(out, w)
		}
	}
	return out
}

func (v *view) parts() {
	v.Parts = []part{{"answers", "What came out"}}
	if len(v.Groups) > 0 || v.Beyond != "" {
		v.Parts = append(v.Parts, part{"explore", "Explore"})
	}
	if len(v.Records) > 0 {
		v.Parts = append(v.Parts, part{"ways", "Records"})
	}
	if len(v.Tables)+len(v.Figures) > 0 {
		v.Parts = append(v.Parts, part{"tables", "Tables and figures"})
	}
	v.Parts = append(v.Parts, part{"provenance", "Provenance"})
}

type setting struct {
	models  []string
	dataset string
	records int
}

func settings(r *result.Results) (all []setting) {
	for _, c := range r.Cascades {
		for _, d := range c.Datasets {
			all = append(all, setting{c.Models, d.Name, d.Counts.Records})
		}
	}
	for _, p := range r.Pools {
		for _, d := range p.Datasets {
			all = append(all, setting{p.Models, d.Name, d.Counts.Records})
		}
	}
	return all
}

func lead(r *result.Results) string {
	models, datasets, records := map[string]bool{}, map[string]bool{}, 0
	for _, x := range settings(r) {
		for _, m := range x.models {
			models[m] = true
		}
		if !datasets[x.dataset] {
			records += x.records
		}
		datasets[x.dataset] = true
	}
	what := reports.Plural(len(r.Cascades), "cascade")
	if len(r.Pools) > 0 {
		if what = reports.Plural(len(r.Pools), "pool"); len(r.Cascades) > 0 {
			what = reports.Plural(len(r.Cascades), "cascade") + " and " + what
		}
	}
	return strings.Join([]string{what, reports.Plural(len(models), "model"), reports.Plural(len(datasets), "dataset"),
		reports.Plural(records, "record")}, " · ")
}

func alarms(in Input) (all []alarm) {
	r := in.Results
	incomplete := func(is bool, name string) {
		if is {
			all = append(all, alarm{"Incomplete.", fmt.Sprintf("More answers of %s are missing than the study allows. Run the "+
				"study again: it asks for what is missing alone.", name)})
		}
	}
	for _, c := range r.Cascades {
		incomplete(c.Incomplete, c.Name)
	}
	for _, p := range r.Pools {
		incomplete(p.Incomplete, "the pool "+p.Name)
	}
	if models := r.StandInModels(); len(models) > 0 {
		var names []string
		for _, m := range models {
			names = append(names, m.Model+" for "+m.For)
		}
		all = append(all, alarm{"Stand-in models.", "Other models answered in place of the study's own: " +
			strings.Join(names, ", ") + ". The numbers say nothing of the study's models."})
	}
	if in.Records == nil {
		all = append(all, alarm{"No records.", "The run's folder has no records.jsonl: there is no slider and no record " +
			"to look at. Run analyze again; the stored answers suffice."})
	}
	return all
}

func beyond(r *result.Results) string {
	chains := 0
	for _, c := range r.Cascades {
		if len(c.Models) > 2 {
			chains++
		}
	}
	var out []string
	if chains > 0 {
		out = append(out, fmt.Sprintf("%s of three models or more left out here: their thresholds have no single path of "+
			"targets. The pairs that they contain are here, and the tables have the chains at the study's target.",
			were(chains, "cascade")))
	}
	if len(r.Pools) > 0 {
		out = append(out, "Pools are left out here: their policies are chosen by the price of an error and not for a "+
			"target. Their tables show every price.")
	}
	return strings.Join(out, " ")
}

func were(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " was"
	}
	return reports.Plural(n, thing) + " were"
}

type facts struct {
	Title string
	Head  []string
	Rows  [][]string
}

// provenance says what the numbers were computed from.
func provenance(r *result.Results) []facts {
	run := facts{Title: "Run", Rows: [][]string{
		{"infnet", r.Spec.Program}, {"Spec", r.Spec.SpecHash}, {"Answers", r.Spec.AnswersHash},
		{"Seed", strconv.FormatUint(r.Seed, 10)}, {"Level of intervals", strconv.FormatFloat(100*r.Level, 'g', 4, 64) + " %"},
	}}
	if p := r.Spec.Prices; p != nil {
		run.Rows = append(run.Rows, []string{"Prices", fmt.Sprintf("%s of %s, %s", p.File, p.Date, p.Hash)})
	}
	models := facts{Title: "Models", Head: []string{"Name", "Model", "Revision", "Backend", "Parameters", "Answered by"}}
	for _, m := range r.Models {
		parameters := ""
		if m.Params > 0 {
			parameters = strconv.FormatFloat(m.Params, 'g', 4, 64) + " B"
		}
		models.Rows = append(models.Rows, []string{m.Name, m.ID, m.Revision, m.Backend, parameters, responders(&m)})
	}
	data := facts{Title: "Datasets", Head: []string{"Name", "Source", "Content", "Split", "Records", "Fit", "Test"}}
	seen := map[string]bool{}
	for _, c := range r.Cascades {
		for _, d := range c.Datasets {
			source := d.Source
			if d.Revision != "" {
				source += " at " + d.Revision
			}
			row := []string{d.Name, source, d.Hash, fmt.Sprintf("%s %s, %.12s", d.Split.Order, d.Split.Fraction, d.Split.Hash),
				strconv.Itoa(d.Counts.Records), strconv.Itoa(d.Counts.Fit), strconv.Itoa(d.Counts.Test)}
			if key := strings.Join(row, "\n"); !seen[key] {
				seen[key] = true
				data.Rows = append(data.Rows, row)
			}
		}
	}
	all := slices.DeleteFunc([]facts{run, models, data}, func(f facts) bool { return len(f.Rows) == 0 })
	for _, f := range all {
		for _, row := range f.Rows {
			for i := range row {
				row[i] = table.Clean(row[i])
			}
		}
	}
	return all
}

func responders(m *result.Model) string {
	var out []string
	for _, s := range m.Servers {
		name := strings.TrimSpace(s.Name + " " + s.Version)
		if name == "" {
			name = "a server that does not say what it is"
		}
		out = append(out, name)
	}
	for _, a := range m.AnsweredBy {
		out = append(out, fmt.Sprintf("%s (%s)", a.Name, reports.Plural(a.Answers, "answer")))
	}
	if m.Unconfirmed != "" {
		out = append(out, "not confirmed: "+m.Unconfirmed)
	}
	return strings.Join(out, "; ")
}
