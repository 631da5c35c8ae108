package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
		if q.Few {
			parts = append(parts, "a few records carry the difference, so that no test knows its mean")
		} else if q.Detectable > 0 {
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
		text := fmt.Sprintf("%s on %s%s: ", p.c.policy(f.Policy), f.Dataset, p.c.cascadeOf(f.Cascade, f.Dataset))
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
	return c.policy(m.Policy) + c.cascadeOf(m.Cascade, m.Dataset)
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
