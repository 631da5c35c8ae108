package compare

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
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
	p.list("Causes, in the order in which they act", len(c.Causes), len(c.Causes), "", func(i int) {
		p.line("  "+fmt.Sprintf("%-8s", c.Causes[i].Kind), c.Causes[i].Text)
	})
	p.quantities()
	p.list("Thresholds and budgets", len(c.Fits), few, "--all prints them", func(i int) { p.fit(&c.Fits[i]) })
	p.list(fmt.Sprintf("Records that moved: %d", len(c.Moved)), len(c.Moved), few, "--all prints them, --json writes them",
		func(i int) {
			m := &c.Moved[i]
			if i == 0 {
				p.tallied()
			}
			p.line("  ", fmt.Sprintf("%s/%s (%s), %s: %s → %s", m.Dataset, m.ID, m.Part, c.Who(m), m.From, m.To))
			if m.Show != "" {
				p.w.WriteString("      " + m.Show + "\n")
			}
		})
	for _, of := range []struct {
		title string
		list  []Place
	}{{"New, with nothing to compare them with", c.Added}, {"Gone", c.Gone},
		{"Incomplete: more answers are missing than the study allows", c.Incomplete}} {
		p.list(of.title, len(of.list), len(of.list), "", func(i int) { p.line("  ", of.list[i].String()) })
	}
	p.list("Remarks", len(c.Remarks), len(c.Remarks), "", func(i int) { p.line("  ", c.Remarks[i]) })
	return p.w.Flush()
}

type printer struct {
	w      *bufio.Writer
	screen Screen
	c      *Comparison
}

// list writes a part of the details: its title, and its items, of which there may be too many. rest says where the
// others are.
func (p *printer) list(title string, n, most int, rest string, item func(i int)) {
	for i := range n {
		if i == 0 {
			p.w.WriteString("\n" + title + "\n")
		}
		if i == most && !p.screen.All {
			p.line("  ", fmt.Sprintf("and %d more; %s", n-i, rest))
			return
		}
		item(i)
	}
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

// head writes what a reader must see, in ten lines that are cut to the screen: verdict, what is
// compared, causes, and the gravest quantities.
func (p *printer) head() {
	c := p.c
	p.line("", c.Summary)
	p.short("  old       ", p.side(c.Old))
	p.short("  new       ", p.side(c.New))
	how := string(c.Level)
	if tested, m := c.tested(); tested > 0 {
		how += fmt.Sprintf(": %s, %s, level %s for all", Plural(tested, "quantity tested", "quantities tested"),
			Plural(m, "hypothesis", "hypotheses"), brief(c.Alpha))
	}
	p.short("  level     ", how)
	for i, x := range c.Causes {
		if i == 2 {
			p.short("            ", fmt.Sprintf("and %s, below", Plural(len(c.Causes)-2, "more cause", "more causes")))
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
			text += fmt.Sprintf(" (%s ago)", Plural(days, "day", "days"))
		default:
			text += fmt.Sprintf(" (%s ahead of this machine's clock)", Plural(-days, "day", "days"))
		}
	}
	if s.Because != "" {
		text += ": " + s.Because
	}
	return text + program
}

func (p *printer) quantities() {
	list, baselines := p.c.gravest(p.screen.All), 0
	for _, q := range p.c.Quantities {
		baselines += tell(q.Baseline && q.Verdict == Shifted)
	}
	n, most := len(list), 3*few
	if baselines > 0 && !p.screen.All && n <= most {
		n, most = n+1, n+1
	}
	p.list("Quantities", n, most, "--all prints them", func(i int) {
		if i == len(list) {
			p.line("  ", fmt.Sprintf("moved, too: %s of baselines, which are not tested; --all prints them",
				Plural(baselines, "number", "numbers")))
			return
		}
		q := &list[i]
		p.line(fmt.Sprintf("  %-9s ", q.Verdict), p.c.title(q)+": "+q.change())
		if more := q.details(); more != "" {
			p.line("            ", more)
		}
	})
}

func (p *printer) fit(f *Fit) {
	of := ""
	if f.Class != "" {
		of = " of " + f.Class
	}
	text := "the same thresholds"
	if f.Changed > 0 {
		text = fmt.Sprintf("%d of %d changed, the first%s %s → %s", f.Changed, f.Of, of, f.Old, f.New)
	}
	where := f.Dataset + p.c.cascadeOf(f.Cascade, f.Dataset)
	p.line("  ", fmt.Sprintf("%s on %s: %s", p.c.PolicyTitle(f.Policy), where, text))
	if f.Text != "" {
		p.line("    ", f.Text)
	}
}

// tallied counts the records that moved, by who decides or answers otherwise.
func (p *printer) tallied() {
	type kind struct{ dataset, who, part string }
	of, order := map[kind]map[string]int{}, []kind(nil)
	for _, m := range p.c.Moved {
		k := kind{m.Dataset, p.c.Who(&m), m.Part}
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
