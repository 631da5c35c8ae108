package compare

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
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
	case accept.Error:
		return 0
	case accept.PerQuery:
		return 2
	case costs:
		return 3
	case accept.Deferred:
		return 4
	case accept.Saved:
		return 5
	}
	return 1 // performance
}
