package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

const (
	fewHeadlines = 8 // more are shown in a line each, without sentences
	fewCaveats   = 3 // are shown
)

// Brief writes what a person reads in ten seconds: the table of outcomes (in the paper's layout, the paper's tables), a
// sentence for each of them, and the caveats that matter most. Of more than a few it writes no sentences.
func Brief(w io.Writer, s *result.Results, o Screen) error {
	b := &brief{w: w, s: s, look: table.Look{Width: o.Width, Color: o.Color}, all: Headlines(s)}
	if who := standIns(s); who != nil {
		b.paragraph(append(table.Text{b.bold(table.Plain("STAND-IN MODELS.")), table.Plain(" ")}, who...), "")
		b.line("")
	}
	b.table()
	if len(b.all) > fewHeadlines {
		b.count()
	} else {
		for i := range b.all {
			h := &b.all[i]
			where := table.Text{b.bold(table.Name(h.Dataset))}
			if b.several() {
				where = append(where, table.Plain(", "+b.models(h)))
			}
			b.paragraph(append(where, table.Plain(": "+h.Sentence())), "  ")
		}
		b.line("")
	}
	b.caveats()
	return b.err
}

type brief struct {
	w    io.Writer
	s    *result.Results
	look table.Look
	all  []Headline
	err  error
}

// bold is a part in bold face where the terminal has it; stars would be in the way.
func (b *brief) bold(p table.Part) table.Part {
	if b.look.Color {
		return p.Bold()
	}
	return p
}

func (b *brief) line(text string) {
	if b.err == nil {
		_, b.err = fmt.Fprintln(b.w, text)
	}
}

func (b *brief) paragraph(t table.Text, indent string) {
	for _, l := range t.Lines(b.look, indent) {
		b.line(l)
	}
}

func (b *brief) show(t *table.Table) {
	if b.err == nil {
		b.err = t.Terminal(b.w, b.look)
	}
	b.line("")
}

// table writes the table of outcomes in the first shape that fits, the last if none does; in the paper's layout the
// paper's.
func (b *brief) table() {
	if len(b.all) == 0 {
		return
	}
	if paperLayout(b.s) {
		for _, t := range Tables(b.s) {
			if t.Kind == "sufficiency" || t.Kind == "policies" && !aboutSufficiency(b.s) {
				t.Remarks = nil // they are said above
				b.show(&t)
			}
		}
		return
	}
	t := outcomes(b.s)
	t.Remarks = nil
	b.show(&t)
}

func (b *brief) count() {
	var order []string
	count := map[string]int{}
	for i := range b.all {
		v := verdictWords[b.all[i].Verdict]
		if count[v]++; count[v] == 1 {
			order = append(order, v)
		}
	}
	slices.SortStableFunc(order, func(x, y string) int { return count[y] - count[x] })
	var said []string
	for _, v := range order {
		said = append(said, fmt.Sprintf("%d %s", count[v], v))
	}
	b.paragraph(table.Words(fmt.Sprintf("Of %d: ", len(b.all))+strings.Join(said, ", ")+
		". The report has a sentence for each."), "")
	b.line("")
}

// several reports whether a dataset's name alone does not tell whose headline it is.
func (b *brief) several() bool { return len(b.s.Cascades)+len(b.s.Pools) > 1 }

// models names a headline's models; a pool by its name.
func (b *brief) models(h *Headline) string {
	if h.Pool {
		return "pool " + short(h.Cascade)
	}
	return strings.Join(shortNames(h.Models), " → ")
}

func (b *brief) caveats() {
	list := ofEachKind(StudyCaveats(b.all))
	left := max(0, len(list)-fewCaveats)
	list = list[:min(fewCaveats, len(list))]
	if len(list) > 0 {
		b.paragraph(table.Words("Caveats, the gravest first (infnet help caveats explains them):"), "")
	}
	for _, c := range list {
		text := c.Line
		if len(b.all) > 1 {
			text = b.about(c.About) + ": " + text
		}
		if c.More > 0 {
			text += fmt.Sprintf(" (And %d more like it.)", c.More)
		}
		b.paragraph(table.Words("- "+text), "  ")
	}
	if left > 0 {
		b.line(fmt.Sprintf("  and %s more, in report.html.", Plural(left, "kind")))
	}
	if len(list) > 0 {
		b.line("")
	}
	for i, warning := range b.s.Warnings {
		if i == fewCaveats {
			b.line(fmt.Sprintf("and %s more, in the report.", Plural(len(b.s.Warnings)-i, "warning")))
			b.line("")
			break
		}
		b.paragraph(table.Words("warning: "+warning), "")
		b.line("")
	}
}

// about names what a caveat is about: every headline, one with its models, or how many rows of a dataset.
func (b *brief) about(list []int) string {
	if len(list) == len(b.all) {
		return "everywhere"
	}
	const named = 3
	var datasets []string
	first, count := map[string]*Headline{}, map[string]int{}
	for _, i := range list {
		h := &b.all[i]
		if count[h.Dataset]++; first[h.Dataset] == nil {
			first[h.Dataset], datasets = h, append(datasets, h.Dataset)
		}
	}
	var said []string
	for _, name := range datasets[:min(named, len(datasets))] {
		x := short(name)
		if count[name] > 1 {
			x += " (" + Plural(count[name], "row") + ")"
		} else if b.several() {
			x += " (" + b.models(first[name]) + ")"
		}
		said = append(said, x)
	}
	text := strings.Join(said, ", ")
	if n := len(datasets) - named; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// outcomes is the first table: what came out, a row for each dataset and pair, chain or pool.
func outcomes(s *result.Results) (t table.Table) {
	all := Headlines(s)
	if len(all) == 0 {
		return t
	}
	var units []string
	for i := range s.Cascades {
		u := costWords(&s.Cascades[i])
		if s.Cascades[i].CostModel == "recorded" {
			u = strings.TrimSpace("recorded " + s.Cascades[i].Unit)
		}
		if !slices.Contains(units, u) {
			units = append(units, u)
		}
	}
	caption := fmt.Sprintf("What came out of %s, on the test part, with %s intervals", s.Name, percent(s.Level))
	if len(units) > 0 {
		caption += "; cost: " + strings.Join(units, "; ")
	}
	t = table.Table{Kind: "outcomes", Caption: table.Words(caption + ".")}
	pairs := only(len(s.Cascades) > 0) // a pool has nothing of ours
	ours := partly(func(h *Headline) *result.Row { return h.Ours }, nil, pairs)
	master := partly(func(h *Headline) *result.Row { return h.Master }, nil, exact, pairs)
	student := partly(func(h *Headline) *result.Row { return h.Student }, nil, exact, pairs)
	errs := func(l *result.Row) any { return exactPercent(l.Error.Value, 1) }
	var rows []*Headline
	for i := range all {
		rows = append(rows, &all[i])
	}
	fill(&t, []column[*Headline]{
		text("Study", "study", func(*Headline) string { return s.Name }, csvOnly),
		text("Cascade", "cascade", func(h *Headline) string { return h.Cascade }, csvOnly),
		text("Dataset", "dataset", func(h *Headline) table.Part { return table.Name(h.Dataset) }),
		text("Models", "", func(h *Headline) table.Text {
			if h.Pool {
				return textOf("pool ", table.Name(h.Cascade))
			}
			return namesWith(" → ", h.Models)
		}, only(len(s.Cascades)+len(s.Pools) > 1)),
		text("Verdict", "verdict", func(h *Headline) string { return h.Verdict.Word() }),
		ours("Saved (%)", "saved_pct", func(l *result.Row) any { return interval(l.Saved, 1) }),
		ours("Error (%)", "error", func(l *result.Row) any { return percents(l.Error, 1) }),
		master("Master's", "master_error", errs),
		student("Student's", "student_error", errs),
		ours("Deferred", "deferred", func(l *result.Row) any { return exactPercent(l.Deferred.Value, 1) }, exact),
		text("Sentence", "sentence", func(h *Headline) string { return h.Sentence() }, csvOnly),
	}, [][]*Headline{rows}, nil)
	if len(s.Cascades) > 0 {
		t.Remark(table.Plain("Saved: of the cost of asking the master every query. Error: share of the queries answered " +
			"wrong, of ours, of the master alone and of the student alone."))
	}
	return t
}
