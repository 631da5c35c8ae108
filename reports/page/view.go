package page

import (
	"fmt"
	"strings"

	"infnet/harness/result"
)

// view is what the page shows without its scripts.
type view struct {
	Lead     string
	Alarms   []alarm
	Parts    []part // of the page, as its navigation lists them
	Answers  []answer
	Short    []shortTable
	First    []shownFigure
	Groups   []group
	Beyond   string // what the sliders do not cover
	Sections []section
	Caveats  []caveat
	Facts    []facts
	colours  string
}

// part is a part of the page.
type part struct{ ID, Title string }

// alarm is what must be read before anything else.
type alarm struct{ Head, Text string }

// section is a part made of tables and figures.
type section struct {
	part
	About   string
	Tables  []shownTable
	Figures []shownFigure
}

// data is what the scripts look up.
type data struct {
	Study  string   `json:"study"`
	Level  float64  `json:"level"`
	Groups []group  `json:"groups"`
	Copies []string `json:"copies"` // of every table the text of its files, packed: LaTeX, Markdown, CSV
}

func makeView(in Input, p *pairs) (*view, *data, error) {
	r := in.Results
	v := &view{Lead: lead(r), Alarms: alarms(in), Answers: answers(r), Facts: provenance(r)}
	d := &data{Study: r.Name, Level: r.Level}
	var err error
	if d.Groups, err = groupsOf(r, p); err != nil {
		return nil, nil, err
	}
	for _, g := range d.Groups {
		if g.Why == "" || g.Ratio != nil {
			v.Groups = d.Groups
		}
	}
	v.Beyond = beyond(r)
	tables, err := tablesOf(r)
	if err != nil {
		return nil, nil, err
	}
	var used ink
	figures, err := figuresOf(r, &used)
	if err != nil {
		return nil, nil, err
	}
	v.colours = used.css()
	for _, t := range tables {
		d.Copies = append(d.Copies, t.copies)
	}
	v.Short, v.Caveats = shorts(tables), caveats(r, tables)
	v.First = figures.first()
	v.Sections = sections(tables, figures)
	v.parts()
	return v, d, nil
}

// sections sort tables and figures by the question that they answer. Each appears once.
func sections(tables []shownTable, figures *drawings) []section {
	all := []section{
		{part: part{"policies", "Policies"}, About: "What every policy does on the test part, what was fitted, and how " +
			"sure the differences are."},
		{part: part{"figures", "Figures"}},
		{part: part{"calibration", "Models and calibration"}, About: "How often each model is right, and whether its " +
			"confidence says so: of the answers with a confidence of 0.8, are 80 % right?"},
		{part: part{"sufficiency", "Sufficiency"}, About: "Whether anything that is known when the student has answered " +
			"tells more about where to defer than its confidence does."},
		{part: part{"records", "Records"}, About: "Which records the numbers rest on."},
	}
	at := map[string]int{"policies": 0, "figures": 1, "calibration": 2, "sufficiency": 3, "records": 4}
	for _, t := range tables {
		s := &all[at[t.section]]
		s.Tables = append(s.Tables, t)
	}
	for name, i := range at {
		all[i].Figures = figures.in(name)
	}
	if n := figures.left; n > 0 {
		all[1].About = fmt.Sprintf("%s left out to keep this page small; all are in the folder figures of the run.",
			were(n, "figure"))
	}
	var out []section
	for _, s := range all {
		if len(s.Tables) > 0 || len(s.Figures) > 0 || s.About != "" && s.ID == "figures" && figures.left > 0 {
			out = append(out, s)
		}
	}
	return out
}

// parts fills in the navigation.
func (v *view) parts() {
	v.Parts = []part{{"answers", "What came out"}}
	if len(v.Groups) > 0 || v.Beyond != "" {
		v.Parts = append(v.Parts, part{"explore", "Other targets, other prices"})
	}
	for _, s := range v.Sections {
		v.Parts = append(v.Parts, s.part)
	}
	if len(v.Caveats) > 0 {
		v.Parts = append(v.Parts, part{"caveats", "Caveats"})
	}
	v.Parts = append(v.Parts, part{"provenance", "Provenance"})
}

// lead says in a line what the study is.
func lead(r *result.Results) string {
	names, datasets := map[string]bool{}, map[string]int{}
	records := 0
	add := func(models []string, dataset string, n int) {
		for _, m := range models {
			names[m] = true
		}
		if _, seen := datasets[dataset]; !seen {
			records += n
		}
		datasets[dataset] = n
	}
	for _, c := range r.Cascades {
		for _, d := range c.Datasets {
			add(c.Models, d.Name, d.Counts.Records)
		}
	}
	for _, p := range r.Pools {
		for _, d := range p.Datasets {
			add(p.Models, d.Name, d.Counts.Records)
		}
	}
	what := counted(len(r.Cascades), "cascade")
	if len(r.Pools) > 0 {
		if what = counted(len(r.Pools), "pool"); len(r.Cascades) > 0 {
			what = counted(len(r.Cascades), "cascade") + " and " + what
		}
	}
	return fmt.Sprintf("%s of %s on %s, %s.", what, counted(len(names), "model"), counted(len(datasets), "dataset"),
		counted(records, "record"))
}

// alarms say what makes numbers unfit for use.
func alarms(in Input) (all []alarm) {
	r := in.Results
	for _, c := range r.Cascades {
		if c.Incomplete {
			all = append(all, alarm{"Incomplete.", fmt.Sprintf("More answers of %s are missing than the study allows. Run the "+
				"study again: it asks for what is missing alone.", c.Name)})
		}
	}
	for _, p := range r.Pools {
		if p.Incomplete {
			all = append(all, alarm{"Incomplete.", fmt.Sprintf("More answers of the pool %s are missing than the study "+
				"allows. Run the study again: it asks for what is missing alone.", p.Name)})
		}
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
		all = append(all, alarm{"No records.", "The run's folder has no records.jsonl: there are no sliders and no records " +
			"to look at. Run analyze again; the stored answers suffice."})
	}
	return all
}

// beyond says what the sliders leave out.
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

// counted counts things: "1 record", "2 records".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// were counts things that something happened to.
func were(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " was"
	}
	return fmt.Sprintf("%d %ss were", n, thing)
}
