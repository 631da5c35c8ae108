package compare

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"infnet/harness/accept"
)

// Screen is where a comparison is printed.
type Screen struct {
	Width int  // columns; 0 = no limit
	All   bool // every quantity and every record
	Today time.Time
}

// few is how many of a list are printed unless all are asked for.
const few = 10

// Print writes a comparison for people: ten lines that say what follows, then the details.
func (c *Comparison) Print(w io.Writer, s Screen) error {
	p := &printer{w: bufio.NewWriter(w), screen: s, c: c}
	p.head()
	p.causes()
	p.quantities()
	p.fits()
	p.moved()
	p.places()
	for i, r := range c.Remarks {
		p.title(i, "Remarks")
		p.line("  ", r)
	}
	return p.w.Flush()
}

type printer struct {
	w      *bufio.Writer
	screen Screen
	c      *Comparison
}

// line writes a text with an indent, folded to the screen.
func (p *printer) line(indent, text string) {
	width := p.screen.Width - len([]rune(indent))
	at := 0
	p.w.WriteString(indent)
	for i, word := range strings.Split(text, " ") {
		n := len([]rune(word))
		switch {
		case i > 0 && p.screen.Width > 0 && at+1+n > width:
			p.w.WriteString("\n" + strings.Repeat(" ", len([]rune(indent))+2))
			at = 2
		case i > 0:
			p.w.WriteByte(' ')
			at++
		}
		p.w.WriteString(word)
		at += n
	}
	p.w.WriteByte('\n')
}

// title starts a part of the details before its first line.
func (p *printer) title(i int, text string) {
	if i == 0 {
		p.w.WriteString("\n" + text + "\n")
	}
}

// head writes what a reader must see, in ten lines that are cut to the screen: verdict, what is
// compared, causes, and the gravest quantities.
func (p *printer) head() {
	c := p.c
	p.line("", c.Summary)
	p.short("  old       ", p.side(c.Old))
	p.short("  new       ", p.side(c.New))
	how := string(c.Level)
	if tested, m := c.tested(); tested > 0 {
		how += fmt.Sprintf(": %s, %s, level %s for all", count(tested, "quantity tested", "quantities tested"),
			count(m, "hypothesis", "hypotheses"), brief(c.Alpha))
	}
	p.short("  level     ", how)
	for i, x := range c.Causes {
		if i == 2 {
			p.short("            ", fmt.Sprintf("and %s, below", count(len(c.Causes)-2, "more cause", "more causes")))
			break
		}
		p.short("  cause     ", x.Text)
	}
	if len(c.Causes) == 0 && c.Level != Bytes && len(c.Gone)+len(c.Added) == 0 {
		p.short("  cause     ", "none found: answers, data, study and program are the same by their hashes")
	}
	room := 3
	for _, f := range c.Fits {
		if f.Text != "" && room > 1 {
			p.short("  budget    ", f.Text)
			room--
		}
	}
	for i, q := range c.gravest(false) {
		if i == room {
			break
		}
		old, now := apart(q.Old.Value, q.New.Value)
		text := fmt.Sprintf("%s: %s → %s", c.title(&q), old, now)
		if q.AtAccepted != nil && *q.AtAccepted != q.New.Value {
			text += fmt.Sprintf("; %s at the accepted thresholds", digits(*q.AtAccepted))
		}
		if q.Tested {
			text += fmt.Sprintf(" (p = %s)", brief(q.Adjusted))
		}
		p.short(fmt.Sprintf("  %-9s ", q.Verdict), text)
	}
}

// short writes one line, cut to the screen.
func (p *printer) short(indent, text string) {
	text = indent + strings.Join(strings.Fields(text), " ")
	if r := []rune(text); p.screen.Width > 0 && len(r) > p.screen.Width {
		text = string(r[:p.screen.Width-1]) + "…"
	}
	p.w.WriteString(text + "\n")
}

// brief writes a p-value in two digits.
func brief(p float64) string { return strconv.FormatFloat(p, 'g', 2, 64) }

// side describes a run, and how old an accepted one is.
func (p *printer) side(s Side) string {
	program := ", infnet " + s.Program
	if s.Accepted == "" {
		return s.Name + program
	}
	text := s.Name + ", accepted on " + s.Accepted
	if day, err := time.Parse(time.DateOnly, s.Accepted); err == nil && !p.screen.Today.IsZero() {
		today, _ := time.Parse(time.DateOnly, p.screen.Today.Format(time.DateOnly))
		switch days := int(today.Sub(day).Hours() / 24); {
		case days == 0:
			text += " (today)"
		case days > 0:
			text += fmt.Sprintf(" (%s ago)", count(days, "day", "days"))
		default:
			text += fmt.Sprintf(" (%s ahead of this machine's clock)", count(-days, "day", "days"))
		}
	}
	if s.Because != "" {
		text += ": " + s.Because
	}
	return text + program
}

// tested counts the quantities that were tested, and the hypotheses that they come to.
func (c *Comparison) tested() (n, hypotheses int) {
	for _, q := range c.Quantities {
		n += tell(q.Tested)
		if q.Direction != Neither {
			hypotheses = max(hypotheses, q.Hypotheses)
		}
	}
	return n, hypotheses
}

// gravest lists the quantities that are not the same, the gravest first; unless all are wanted,
// each hypothesis once and no baselines.
func (c *Comparison) gravest(all bool) []Quantity {
	out := slices.DeleteFunc(slices.Clone(c.Quantities), func(q Quantity) bool {
		return q.Verdict == Same || (q.SameAs != "" || q.Baseline) && !all
	})
	rank := []Verdict{Worse, Incomplete, Better, Undecided, Shifted, Same}
	slices.SortStableFunc(out, func(x, y Quantity) int {
		return cmp.Or(slices.Index(rank, x.Verdict)-slices.Index(rank, y.Verdict), x.weight()-y.weight())
	})
	return out
}

// weight is a quantity's place among those of its verdict: errors come first, and what follows from others last.
func (q *Quantity) weight() int {
	switch q.Metric {
	case errorRate:
		return 0
	case perQuery:
		return 2
	case costs:
		return 3
	case deferrals:
		return 4
	case savings:
		return 5
	}
	return 1 // performance
}

// title names a quantity, with its cascade where several have its dataset.
func (c *Comparison) title(q *Quantity) string { return q.title() + c.cascadeOf(q.Cascade, q.Dataset) }

// cascadeOf names a cascade behind a dataset that it shares with others.
func (c *Comparison) cascadeOf(cascade, dataset string) string {
	if slices.ContainsFunc(c.Records, func(p Paired) bool { return p.Dataset == dataset && p.Cascade != cascade }) {
		return " (" + cascade + ")"
	}
	return ""
}

// title names a quantity of its cascade.
func (q *Quantity) title() string {
	policy := q.Policy
	switch policy {
	case accept.None:
		policy = "the student alone"
	case accept.All:
		policy = "the master alone"
	}
	return fmt.Sprintf("%s of %s on %s", metricWord(q.Metric), policy, q.Dataset)
}

// metricWord is a quantity's name in a sentence.
func metricWord(metric string) string {
	switch metric {
	case errorRate:
		return "error"
	case deferrals:
		return "deferrals"
	case costs:
		return "cost per query"
	case savings:
		return "cost saved"
	case perQuery:
		return "cost saved per query"
	}
	return metric
}

// change says how a quantity changed.
func (q *Quantity) change() string {
	unit := ""
	if q.Unit != "" {
		unit = " " + q.Unit
	}
	first, second := apart(q.Old.Value, q.New.Value)
	text := fmt.Sprintf("%s → %s%s", first, second, unit)
	if q.AtAccepted != nil {
		text += fmt.Sprintf("; %s at the accepted thresholds", digits(*q.AtAccepted))
	}
	if q.Tested {
		text += fmt.Sprintf(" (%s, interval %s to %s)", signed(q.Difference.Value), signed(q.Difference.Low),
			signed(q.Difference.High))
	}
	return text
}

func digits(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// apart writes two numbers in as many digits as it takes to tell them apart.
func apart(x, y float64) (first, second string) {
	for n := 4; n <= 17; n++ {
		first, second = strconv.FormatFloat(x, 'g', n, 64), strconv.FormatFloat(y, 'g', n, 64)
		if first != second || x == y {
			break
		}
	}
	return first, second
}

func signed(x float64) string {
	if x > 0 {
		return "+" + digits(x)
	}
	return digits(x)
}

func (p *printer) causes() {
	for i, x := range p.c.Causes {
		p.title(i, "Causes, in the order in which they act")
		p.line("  "+fmt.Sprintf("%-8s", x.Kind), x.Text)
	}
}

func (p *printer) quantities() {
	list := p.c.gravest(p.screen.All)
	if p.screen.All {
		for _, q := range p.c.Quantities {
			if q.Verdict == Same {
				list = append(list, q)
			}
		}
	}
	for i, q := range list {
		p.title(i, "Quantities")
		if i == 3*few && !p.screen.All {
			p.line("  ", fmt.Sprintf("and %d more; --all prints them", len(list)-i))
			return
		}
		p.line(fmt.Sprintf("  %-9s ", q.Verdict), p.c.title(&q)+": "+q.change())
		if more := q.details(); more != "" {
			p.line("            ", more)
		}
	}
	baselines := 0
	for _, q := range p.c.Quantities {
		baselines += tell(q.Baseline && q.Verdict == Shifted)
	}
	if baselines > 0 && !p.screen.All {
		p.title(len(list), "Quantities")
		p.line("  ", fmt.Sprintf("moved, too: %s of baselines, which are not tested; --all prints them",
			count(baselines, "number", "numbers")))
	}
}

// details say what the verdict rests on.
func (q *Quantity) details() string {
	var parts []string
	if q.Tested {
		parts = append(parts, fmt.Sprintf("p = %s, %s for all", brief(q.P), brief(q.Adjusted)))
		worse, better := "worse", "better"
		if q.Direction == Neither {
			worse, better = "more", "less"
		}
		if q.Worsened+q.Improved > 0 {
			parts = append(parts, fmt.Sprintf("of %d records %d %s and %d %s", q.Difference.N, q.Worsened, worse, q.Improved,
				better))
		}
	}
	if q.Verdict == Undecided {
		if q.Detectable > 0 {
			parts = append(parts, fmt.Sprintf("a difference of %s would be seen with probability 0.8", digits(q.Detectable)))
		} else {
			parts = append(parts, "no difference would be seen on so few records")
		}
		if q.Needed > 0 {
			parts = append(parts, fmt.Sprintf("this one would take %d test records", q.Needed))
		}
	}
	if len(q.Causes) > 0 {
		var kinds []string
		for _, k := range q.Causes {
			kinds = append(kinds, string(k))
		}
		parts = append(parts, "cause: "+strings.Join(kinds, ", "))
	}
	return strings.Join(parts, "; ")
}

func (p *printer) fits() {
	for i, f := range p.c.Fits {
		p.title(i, "Thresholds and budgets")
		if i == few && !p.screen.All {
			p.line("  ", fmt.Sprintf("and %d more; --all prints them", len(p.c.Fits)-i))
			return
		}
		of := ""
		if f.Class != "" {
			of = " of " + f.Class
		}
		text := fmt.Sprintf("%s on %s%s: ", f.Policy, f.Dataset, p.c.cascadeOf(f.Cascade, f.Dataset))
		if f.Changed > 0 {
			text += fmt.Sprintf("%d of %d changed, the first%s %s → %s", f.Changed, f.Of, of, f.Old, f.New)
		} else {
			text += "the same thresholds"
		}
		p.line("  ", text)
		if f.Text != "" {
			p.line("    ", f.Text)
		}
	}
}

func (p *printer) moved() {
	list := p.c.Moved
	for i, m := range list {
		if i == 0 {
			p.title(0, fmt.Sprintf("Records that moved: %d", len(list)))
			p.tallied()
		}
		if i == few && !p.screen.All {
			p.line("  ", fmt.Sprintf("and %d more; --all prints them, --json writes them", len(list)-i))
			return
		}
		who := p.c.who(&m)
		p.line("  ", fmt.Sprintf("%s/%s (%s), %s: %s → %s", m.Dataset, m.ID, m.Part, who, m.From, m.To))
		if m.Show != "" {
			p.w.WriteString("      " + m.Show + "\n")
		}
	}
}

// who decides or answers otherwise: a model, or a policy.
func (c *Comparison) who(m *Moved) string {
	if m.Policy == "" {
		return m.Model
	}
	return m.Policy + c.cascadeOf(m.Cascade, m.Dataset)
}

// tallied counts the records that moved, by who decides or answers otherwise.
func (p *printer) tallied() {
	type kind struct{ dataset, who, part string }
	of, order := map[kind]map[string]int{}, []kind(nil)
	for _, m := range p.c.Moved {
		k := kind{m.Dataset, p.c.who(&m), m.Part}
		if of[k] == nil {
			of[k] = map[string]int{}
			order = append(order, k)
		}
		of[k][m.From+" → "+m.To]++
	}
	for _, k := range order {
		var parts []string
		for _, way := range slices.Sorted(maps.Keys(of[k])) {
			parts = append(parts, fmt.Sprintf("%d %s", of[k][way], way))
		}
		p.line("  ", fmt.Sprintf("%s, %s part, %s: %s", k.dataset, k.part, k.who, strings.Join(parts, ", ")))
	}
}

func (p *printer) places() {
	for _, of := range []struct {
		title string
		list  []Place
	}{{"New, with nothing to compare them with", p.c.Added}, {"Gone", p.c.Gone},
		{"Incomplete: more answers are missing than the study allows", p.c.Incomplete}} {
		for i, x := range of.list {
			p.title(i, of.title)
			p.line("  ", x.String())
		}
	}
}
