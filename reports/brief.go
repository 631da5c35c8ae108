package reports

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

const (
	fewHeadlines = 8   // more are shown in a line each, without sentences
	fewCaveats   = 3   // are shown
	briefCaveat  = 240 // characters of a caveat are shown
	briefMetrics = 2   // of a dataset are shown
)

// Brief writes what a person reads in ten seconds: for each cascade and dataset a line for student,
// master, ours and the best baseline and a sentence, and the caveats that matter most. Of more than a few
// it writes a line each, unless all is asked for. Intervals are in the lines where they fit.
func Brief(w io.Writer, s *result.Results, o Screen) error {
	b := &brief{w: w, s: s, look: table.Look{Width: o.Width, Color: o.Color}, all: Headlines(s), full: o.All}
	if who := standIns(s); who != nil {
		b.paragraph(append(table.Text{b.bold(table.Plain("STAND-IN MODELS.")), table.Plain(" ")}, who...), "")
		b.line("")
	}
	if len(b.all) > fewHeadlines {
		b.table(b.overview, ofOverview)
		b.count()
	} else {
		b.table(b.lines, ofLines)
	}
	if len(b.all) <= fewHeadlines || o.All {
		b.sentences()
	}
	b.caveats()
	return b.err
}

// brief is what is written.
type brief struct {
	w    io.Writer
	s    *result.Results
	look table.Look
	all  []Headline
	full bool // nothing is left out
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

// shape is how much a table of the brief holds.
type shape struct {
	intervals bool
	metrics   int // of a dataset
}

// The shapes, the richest first: intervals are worth more than a second metric, and less than a baseline.
var (
	ofLines    = []shape{{true, briefMetrics}, {true, 1}, {false, briefMetrics}, {false, 1}}
	ofOverview = []shape{{true, briefMetrics}, {false, briefMetrics}, {true, 1}, {false, 1}}
)

// table writes a table in the first shape that fits, the last if none does.
func (b *brief) table(of func(shape) *table.Table, shapes []shape) {
	var t *table.Table
	for _, x := range shapes {
		if t = of(x); t.Fits(b.look) {
			break
		}
	}
	if len(t.Groups) == 0 {
		return
	}
	if b.err == nil {
		b.err = t.Terminal(b.w, b.look)
	}
	b.line("")
}

// lines is the table of student, master, ours and the best baseline.
func (b *brief) lines(x shape) *table.Table {
	t := &table.Table{Caption: b.caption(x.intervals), Label: "tab:brief", Columns: []table.Column{
		{Head: table.Words("Dataset")}, {Head: table.Words("Policy")},
		{Head: table.Words("Performance"), Align: table.Right}, {Head: table.Words("Saved %"), Align: table.Right},
		{Head: table.Words("Error %"), Align: table.Right}, {Head: table.Words("Deferred %"), Align: table.Right},
	}}
	for i := range b.all {
		h := &b.all[i]
		var group []table.Row
		for _, l := range []*Line{h.Student, h.Master, h.Ours, h.Best} {
			if l != nil {
				group = append(group, b.row(h, l, len(group), x))
			}
		}
		if len(group) > 0 {
			t.Groups = append(t.Groups, group)
		}
	}
	return t
}

// row is one line of a dataset: its name on the first, its metrics below.
func (b *brief) row(h *Headline, l *Line, at int, x shape) table.Row {
	of, title := table.Cell{}, table.Plain(l.Title)
	metrics := l.Metrics[:min(x.metrics, len(l.Metrics))]
	switch at {
	case 0:
		of = table.Of(table.Name(h.Dataset))
	case 1:
		of = table.Of(table.Plain("  " + strings.Join(metrics, " / ")))
	}
	switch {
	case len(h.Models) == 0:
	case l == h.Student:
		title = table.Plain(cutName(h.Models[0]))
	case l == h.Master:
		title = table.Plain(cutName(h.Models[len(h.Models)-1]))
	case l == h.Ours:
		title = b.bold(table.Plain("Ours"))
	}
	number := func(iv infer.Interval, decimals int) table.Number {
		if x.intervals {
			return table.Estimated(iv.Value, iv.Low, iv.High, decimals)
		}
		return table.Exactly(iv.Value, decimals)
	}
	var performance table.Cell
	for i := range metrics {
		if i > 0 {
			performance.Text = append(performance.Text, table.Plain(" / "))
		}
		performance.Text = append(performance.Text, table.Num(number(l.Performance[i], 2)))
	}
	return table.Row{of, table.Of(title), performance, table.Of(table.Num(number(l.Saved, 1))),
		table.Of(table.Num(number(l.Error, 1).AsPercent())), table.Of(table.Num(number(l.Deferred, 1).AsPercent()))}
}

// cutName shortens a name in the middle: the end of a model's name tells it from its siblings.
func cutName(name string) string {
	const limit = 22
	r := []rune(name)
	if len(r) <= limit {
		return name
	}
	return string(r[:limit/2]) + "…" + string(r[len(r)-limit/2+1:])
}

// caption says what the numbers are.
func (b *brief) caption(intervals bool) table.Text {
	text := fmt.Sprintf("%s, on the test part", b.s.Name)
	if intervals {
		text += fmt.Sprintf(", with %s intervals", percent(b.s.Level))
	}
	var units []string
	for i := range b.s.Cascades {
		u := costWords(&b.s.Cascades[i])
		if b.s.Cascades[i].CostModel == "recorded" {
			u = strings.TrimSpace("recorded " + b.s.Cascades[i].Unit)
		}
		if !slices.Contains(units, u) {
			units = append(units, u)
		}
	}
	if len(units) > 0 {
		text += "; saved: of the master's cost (" + strings.Join(units, "; ") + ")"
	}
	return table.Words(text + ".")
}

// several reports whether a dataset's name alone does not tell whose headline it is.
func (b *brief) several() bool { return len(b.s.Cascades)+len(b.s.Pools) > 1 }

// models names a headline's models; a pool by its name.
func (b *brief) models(h *Headline) string {
	if h.Pool {
		return "pool " + short(h.Cascade)
	}
	return listWords(h.Models, " → ", short)
}

// sentences writes what came out in words.
func (b *brief) sentences() {
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

// caveats writes those that matter most, and the study's warnings.
func (b *brief) caveats() {
	all, _ := StudyCaveats(b.all, math.MaxInt)
	list := ofEachKind(all)
	left := max(0, len(list)-fewCaveats)
	list = list[:min(fewCaveats, len(list))]
	if len(list) > 0 {
		b.line("Caveats, the gravest first:")
	}
	for _, c := range list {
		text := cutAt(c.Text, briefCaveat)
		if len(b.all) > 1 {
			text = b.about(c.About) + ": " + text
		}
		if c.More > 0 {
			text += fmt.Sprintf(" (And %d more like it.)", c.More)
		}
		b.paragraph(table.Words("- "+text), "  ")
	}
	if left > 0 {
		b.line(fmt.Sprintf("  and %s more, in the tables.", plural(left, "kind")))
	}
	if len(list) > 0 {
		b.line("")
	}
	for i, warning := range b.s.Warnings {
		if i == fewCaveats && !b.full {
			b.line(fmt.Sprintf("and %s more, in the report.", plural(len(b.s.Warnings)-i, "warning")))
			b.line("")
			break
		}
		b.paragraph(table.Words("warning: "+warning), "")
		b.line("")
	}
}

// about names the headlines of a caveat: every dataset, where one cascade is all there is.
func (b *brief) about(list []int) string {
	if len(list) == len(b.all) {
		return "everywhere"
	}
	const named = 3
	text := listWords(list[:min(named, len(list))], ", ", func(i int) string {
		h := &b.all[i]
		if b.several() {
			return short(h.Dataset) + " (" + b.models(h) + ")"
		}
		return short(h.Dataset)
	})
	if n := len(list) - named; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// cutAt shortens a text at a space.
func cutAt(text string, limit int) string {
	r := []rune(text)
	if len(r) <= limit {
		return text
	}
	head := string(r[:limit])
	if i := strings.LastIndexByte(head, ' '); i > limit/2 {
		head = head[:i]
	}
	return head + " …"
}
