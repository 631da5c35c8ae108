package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

type dataRow struct {
	place
	in    []string // the cascades of which this is true
	what  string
	model string
	count int
}

// data is the table of which records the numbers rest on, what happened to the others, and all caveats in full. A
// cascade has rows of its own only where its records are others.
func data(s *result.Results) (t table.Table) {
	list := places(s)
	if len(list) == 0 {
		return t
	}
	t = table.Table{Kind: "data", Caption: cascadesCaption("Records behind the numbers, and all caveats: ", list)}
	var groups [][]dataRow
	for _, p := range list {
		same := slices.IndexFunc(groups, func(g []dataRow) bool { return sameRecords(g[0].d, p.d) })
		if same < 0 {
			same, groups = len(groups), append(groups, nil)
		}
		for _, x := range happenings(p) {
			k := slices.IndexFunc(groups[same], func(y dataRow) bool {
				return y.what == x.what && y.model == x.model && y.count == x.count
			})
			if k < 0 {
				groups[same] = append(groups[same], x)
			} else {
				groups[same][k].in = append(groups[same][k].in, x.in...)
			}
		}
	}
	unharmed := func(x dataRow) bool { return x.what == nothingMissing }
	for i, g := range groups {
		if harmed := slices.DeleteFunc(slices.Clone(g), unharmed); len(harmed) > 0 {
			groups[i] = harmed
		}
	}
	total := func(head string, n func(c *result.Counts) int) column[dataRow] {
		return number(head, strings.ToLower(head), func(x dataRow) int { return n(&x.d.Counts) }, exact, merge)
	}
	fill(&t, []column[dataRow]{
		text("Study", "study", func(x dataRow) string { return x.s.Name }, csvOnly),
		text("Cascades", "cascades", func(x dataRow) string { return strings.Join(x.in, "; ") }, csvOnly),
		text("Dataset", "dataset", func(x dataRow) table.Cell {
			return table.Cell{Text: table.Text{table.Name(x.d.Name)}, Marks: marksOf(&t, datasetNotes(x.d))}
		}, merge),
		total("Records", func(c *result.Counts) int { return c.Records }),
		total("Used", func(c *result.Counts) int { return c.Used }),
		total("Fit", func(c *result.Counts) int { return c.Fit }),
		total("Test", func(c *result.Counts) int { return c.Test }),
		text("What", "what", func(x dataRow) string { return x.what }),
		text("Model", "model", func(x dataRow) table.Part { return table.Name(short(x.model)) }),
		number("Count", "count", func(x dataRow) int { return x.count }, exact),
		text("Source", "source", func(x dataRow) string { return x.d.Source }, csvOnly),
		text("Content hash", "content_hash", func(x dataRow) string { return x.d.Hash }, csvOnly),
		text("Split hash", "split_hash", func(x dataRow) string { return x.d.Split.Hash }, csvOnly),
	}, groups, nil)
	sourceRemarks(list, &t)
	caveatRemarks(list, &t)
	return t
}

func sameRecords(a, b *result.Dataset) bool {
	return a.Name == b.Name && a.Hash == b.Hash && a.Split.Hash == b.Split.Hash && a.Counts.Records == b.Counts.Records &&
		a.Counts.Used == b.Counts.Used && a.Counts.Fit == b.Counts.Fit && a.Counts.Test == b.Counts.Test
}

const nothingMissing = "nothing missing"

func happenings(p place) (out []dataRow) {
	n := p.d.Counts
	add := func(what, model string, count int) {
		if count > 0 {
			out = append(out, dataRow{p, []string{p.c.Name}, what, model, count})
		}
	}
	list := func(what string, of []result.Missing) {
		for _, m := range of {
			w := what
			if m.Cause != "" {
				w += ": " + short(m.Cause)
			}
			out = append(out, dataRow{p, []string{p.c.Name}, w, m.Model, m.Count})
		}
	}
	add("bad row skipped", "", n.Skipped)
	list("no answer", n.Missing)
	list("prompt cut to the context", n.Truncated)
	list("label probability not reported", n.Unseen)
	list(fmt.Sprintf("confidence not known to %v", result.WideBound), n.Wide)
	for _, k := range n.LabelMass {
		add(fmt.Sprintf("label mass below %v", k.Floor), k.Model, k.Below)
		add(fmt.Sprintf("label mass perhaps below %v", k.Floor), k.Model, k.Open)
		if k.Known > 0 {
			add("label mass not known", k.Model, k.Answers-k.Known)
		}
	}
	for _, g := range n.Graded {
		add("no answer in the reply", g.Model, g.None-g.Cut)
		add("no answer in the reply, which was cut", g.Model, g.Cut)
		add("answer not decided by any rule", g.Model, g.Undecided)
		for _, d := range g.By {
			if len(g.By) > 1 {
				add("decided by "+d.Rule, g.Model, d.Count)
			}
		}
	}
	list("empty answer", n.Empty)
	for _, k := range n.Cut {
		what := "answer that ended by " + short(k.Finish)
		switch k.Finish {
		case "":
			what = "whether cut is not recorded"
		case cutLength:
			what = fmt.Sprintf("answer cut at max_tokens = %d", k.MaxTokens)
		case cutUnsaid:
			what = "answer that ended for a reason not said"
		}
		add(what, k.Model, k.Count)
	}
	list("labels asked otherwise", n.Otherwise)
	for _, e := range n.Estimated {
		add("tokens estimated", e.Model, e.Count)
	}
	if len(out) == 0 {
		out = []dataRow{{p, []string{p.c.Name}, nothingMissing, "", 0}}
	}
	return out
}

func sourceRemarks(list []place, t *table.Table) {
	said := map[string]bool{}
	for _, p := range list {
		d := p.d
		source := short(d.Source)
		if d.Revision != "" {
			source += ", revision " + short(d.Revision)
		}
		if d.Direction != "" {
			source += ", translated " + short(d.Direction)
		}
		text := fmt.Sprintf(": %s, content %s; split %s, fit part %s, hash %s.", source, short(d.Hash), short(d.Split.Order),
			short(d.Split.Fraction), short(d.Split.Hash))
		if !said[d.Name+text] {
			said[d.Name+text] = true
			t.Remark(table.Name(d.Name), table.Plain(text))
		}
	}
}

// caveatRemarks are all caveats in full, each once, with what they are about.
func caveatRemarks(list []place, t *table.Table) {
	several := len(cascadesOf(list)) > 1
	var texts []string
	about := map[string][]string{}
	add := func(p place, row, text string) {
		where := short(p.d.Name)
		if several {
			where += " (" + strings.Join(shortNames(p.c.Models), " → ") + ")"
		}
		if row != "" {
			where += ", " + row
		}
		if about[text] == nil {
			texts = append(texts, text)
		}
		if !slices.Contains(about[text], where) {
			about[text] = append(about[text], where)
		}
	}
	for _, p := range list {
		for _, n := range datasetNotes(p.d) {
			add(p, "", n.Text)
		}
		for i := range p.d.Rows {
			r := &p.d.Rows[i]
			for _, n := range rowNotes(p.c, p.d, r) {
				add(p, r.Title, n.Text)
			}
		}
		if p.d.Form != "" {
			add(p, "", p.d.Form)
		}
	}
	for _, text := range texts {
		t.Remark(table.Plain(strings.Join(about[text], "; ")).Bold(), table.Plain(": "+text))
	}
}

// datasets is the paper's table of datasets and their tasks, in the order in which the study or its catalogs define
// them; the paper's layout alone has it.
func datasets(s *result.Results) (t table.Table) {
	known := map[string]place{}
	for _, p := range places(s) {
		known[p.d.Name] = p
	}
	var all []place
	for _, a := range s.Spec.Answers { // by model and dataset, in the order of definitions
		if p, left := known[a.Dataset]; left {
			all = append(all, p)
			delete(known, a.Dataset)
		}
	}
	if !paperLayout(s) || len(all) == 0 {
		return t
	}
	t = table.Table{Kind: "datasets", Caption: table.Words("Summary of datasets and corresponding tasks.")}
	titles := map[string]string{
		"qa": "Question-Answering", "translation": "Machine-Translation", "generation": "Generation",
	}
	fill(&t, []column[place]{
		text("Dataset", "dataset", func(p place) table.Part { return table.Name(p.d.Name) }),
		text("Task", "task", func(p place) string {
			if n := len(p.d.Labels); n > 0 {
				return fmt.Sprintf("%d-way classification", n)
			}
			return cmp.Or(titles[p.d.Task], p.d.Task)
		}),
		number("Records", "records", func(p place) int { return p.d.Counts.Fit + p.d.Counts.Test }, csvOnly, exact),
	}, [][]place{all}, nil)
	return t
}
