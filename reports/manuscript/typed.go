package manuscript

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"infnet/reports"
)

// typed finds the numbers of a sentence that were typed by hand and that the runs know.
func (b *Book) typed(s *source, at span) (out []Finding) {
	text := macro.ReplaceAllStringFunc(s.text[at.from:at.to], func(m string) string { return strings.Repeat(" ", len(m)) })
	numbers := numbersIn(text)
	if len(numbers) == 0 {
		return nil
	}
	about := b.about(text)
	table := cells.MatchString(text)
	for _, n := range numbers {
		n.cell = table
		if f, ok := b.judge(n, named(text, n), about); ok {
			f.place, f.Text = s.place(at.from+n.from), n.text
			out = append(out, f)
		}
	}
	return out
}

type subject struct {
	datasets []string        // of the runs, that it names; of one, it is taken for granted
	named    bool            // and does so in words
	cascades []cascade       // whose models it names, else all
	policies map[string]bool // that it names, by their names or as the one model of a cascade

	ours, alone, interval, cited bool // it says so
}

var (
	ours   = regexp.MustCompile(`(?i)\b(?:ours?|we)\b`)
	alone  = regexp.MustCompile(`(?i)\b(?:alone|itself)\b`)
	ranged = regexp.MustCompile(`(?i)\[|--|–|range|\bbetween\b|\bfrom\b|\bintervals?\b|\bCI\b`)
	styled = regexp.MustCompile(`\\(?:text|math|emph|underline)[a-z]*`)
	cite   = regexp.MustCompile(`\\[a-zA-Z]*cite`)
)

// about finds what a sentence names. A citation right behind a name is that of the name; another says that the sentence
// is about the work of others.
func (b *Book) about(text string) subject {
	plain := strings.NewReplacer("{", "", "}", "", `\_`, "_").Replace(styled.ReplaceAllString(text, " "))
	x := subject{policies: map[string]bool{}, ours: ours.MatchString(plain), alone: alone.MatchString(plain),
		interval: ranged.MatchString(plain)}
	for _, d := range b.datasets {
		if d.words.MatchString(plain) {
			x.datasets = append(x.datasets, d.name)
		}
	}
	if x.named = len(x.datasets) > 0; len(b.datasets) == 1 {
		x.datasets = []string{b.datasets[0].name}
	}
	for _, p := range b.policies {
		x.policies[p.name] = x.policies[p.name] || p.words.MatchString(plain)
	}
	for _, at := range cite.FindAllStringIndex(plain, -1) {
		before := strings.TrimRight(plain[:at[0]], " ~\n")
		x.cited = x.cited || !slices.ContainsFunc(slices.Concat(b.datasets, b.models, b.policies), func(c called) bool {
			return c.words.MatchString(before[max(0, len(before)-len(c.name)-around/4):])
		})
	}
	b.pairs(&x, plain)
	return x
}

// pairs finds the cascades whose models a text names: all of them, of the most; else one.
func (b *Book) pairs(x *subject, plain string) {
	models := map[string]bool{}
	for _, m := range b.models { // the long names first: gpt-4o-mini is not gpt-4o
		for m.words.MatchString(plain) {
			models[m.name] = true
			plain = m.words.ReplaceAllString(plain, " , ")
		}
	}
	most, whole := 0, false
	for _, c := range b.cascades {
		n := 0
		for _, m := range c.models {
			if models[m] {
				n++
			}
		}
		all := n == len(c.models)
		if all && !whole || n > most && all == whole {
			most, whole, x.cascades = n, all, nil
		}
		if n == most && all == whole {
			x.cascades = append(x.cascades, c)
		}
	}
	for _, c := range x.cascades {
		if !whole {
			x.policies["student"] = x.policies["student"] || models[c.models[0]]
			x.policies["master"] = x.policies["master"] || models[c.models[len(c.models)-1]]
		}
	}
}

type called struct {
	name  string
	words *regexp.Regexp
}

// call collects how texts write the datasets of the runs, and the policies that are not ours.
func (b *Book) call() {
	seen := map[[2]string]bool{}
	add := func(to *[]called, name, written string) {
		if key := [2]string{name, written}; !seen[key] {
			seen[key] = true
			*to = append(*to, called{name, wordsOf(written)})
		}
	}
	for i := range b.numbers {
		n := &b.numbers[i]
		if add(&b.datasets, n.Dataset, n.Dataset); n.Policy == "" || n.Main {
			continue
		}
		add(&b.policies, n.Policy, n.Policy)
		for _, m := range n.Models {
			add(&b.models, m, m)
		}
		if c := (cascade{n.Study, n.Cascade, n.Models}); !slices.ContainsFunc(b.cascades, c.is) {
			b.cascades = append(b.cascades, c)
		}
	}
	slices.SortStableFunc(b.models, func(x, y called) int { return len(y.name) - len(x.name) })
}

func (c cascade) is(other cascade) bool { return c.study == other.study && c.name == other.name }

var (
	parts   = regexp.MustCompile(`[A-Za-z]+|[0-9]+`)
	nothing = regexp.MustCompile(`[^\s\S]`)
)

// wordsOf finds a name in a text, however its parts are joined and written: SST-2, sst2.
func wordsOf(name string) *regexp.Regexp {
	p := parts.FindAllString(name, -1)
	if len(p) == 0 {
		return nothing
	}
	return regexp.MustCompile(`(?i)(?:^|[^A-Za-z0-9])` + strings.Join(p, `[-_ .~]*`) + `(?:$|[^A-Za-z0-9])`)
}

func (b *Book) candidates(what string, x subject) (out []int) {
	for i := range b.numbers {
		n := &b.numbers[i]
		if (len(x.datasets) == 0 || slices.Contains(x.datasets, n.Dataset)) && (what == "" || is(n, what)) &&
			slices.ContainsFunc(x.cascades, cascade{study: n.Study, name: n.Cascade}.is) && (x.interval || !ends(n)) {
			out = append(out, i)
		}
	}
	return out
}

// is reports whether a number is of a quantity, an end of its interval, or of its several.
func is(n *reports.Number, what string) bool {
	q := strings.TrimSuffix(strings.TrimSuffix(n.Quantity, "-low"), "-high")
	switch what {
	case "p-", "threshold":
		return strings.HasPrefix(q, what)
	case "records":
		return q == what || q == "fit-records"
	case "savings":
		return q == what || q == "own-savings"
	}
	return q == what
}

// meant says how well a number fits a sentence by its policy: 0 = not at all, then one of the two models, ours, what
// the sentence names.
func meant(n *reports.Number, what string, x subject) int {
	model := n.Policy == "student" || n.Policy == "master"
	trivial := model && (what == "savings" || what == "deferral") && !x.alone // 0 and 100 %: said of the cascade
	switch {
	case x.policies[n.Policy] && !trivial:
		return 3
	case n.Main:
		return 2
	case model && !trivial:
		return 1
	}
	return 0
}

func (b *Book) judge(n number, what string, x subject) (f Finding, ok bool) {
	significant := len(strings.TrimLeft(strings.NewReplacer(".", "", "-", "", ",", "").Replace(
		strings.TrimRight(n.text, `\%~ `)), "0"))
	if what == "" && (len(x.datasets) == 0 || significant < 3 || n.decimals == 0) ||
		len(x.datasets) == 0 && significant < 3 {
		return f, false
	}
	equal, close, best := -1, -1, 0
	var could []int // what the sentence means
	for _, i := range b.candidates(what, x) {
		of := &b.numbers[i]
		v, decimals, fits := typedAs(of, n)
		if !fits {
			continue
		}
		fit := meant(of, what, x)
		unit := math.Pow10(decimals) // rounded as the manuscript does
		d := math.Abs(v - math.Round(of.Value*unit)/unit)
		switch {
		case d < 1e-9 && (equal < 0 || fit > meant(&b.numbers[equal], what, x) && !(x.ours && b.numbers[equal].Main) ||
			x.ours && of.Main && !b.numbers[equal].Main):
			equal = i
		case d < 1.5*math.Pow10(-decimals) && fit > 0 && close < 0 && !ends(of):
			close = i
		}
		if fit < 2 || fit < best || ends(of) || strings.HasPrefix(of.Quantity, "p-holm-") {
			continue
		}
		if fit > best {
			best, could = fit, nil
		}
		could = append(could, i)
	}
	say := func(k Kind, i int, words string) (Finding, bool) {
		text := b.numbers[i].Text
		if b.numbers[i].Percent {
			text += " %"
		}
		return Finding{Kind: k, Fix: fmt.Sprintf(words, text, b.shortest(i))}, true
	}
	differs := func(i int) bool {
		x, y := &b.numbers[could[0]], &b.numbers[i]
		return y.Text != x.Text && (y.Quantity == x.Quantity || strings.HasPrefix(x.Quantity, "p-"))
	}
	switch {
	case equal >= 0 && (what == "" || meant(&b.numbers[equal], what, x) > 0):
		return say(Equal, equal, "typed by hand; the run has %s: write \\inf{%s}")
	case what == "" || len(x.datasets) == 0 || len(could) == 0 || n.end || n.cell || x.cited,
		what == "records" || what == "threshold": // a text speaks of others, too
		return f, false
	case x.named && slices.ContainsFunc(could, differs):
		return say(Unclear, could[0], "could not tell which number is meant, and it is none of them; one is %s: \\inf{%s}")
	case len(x.datasets) > 1: // and it is not clear which one
		return f, false
	case close >= 0:
		return say(Nearly, close, "the run has %s: write \\inf{%s}")
	case !x.named:
		return f, false
	}
	return say(Contradicts, could[0], "the run has %s: write \\inf{%s}")
}

func ends(n *reports.Number) bool {
	return strings.HasSuffix(n.Quantity, "-low") || strings.HasSuffix(n.Quantity, "-high")
}

// typedAs is a typed number in the unit of a number of the run, with its digits there; fits is false where it cannot be
// one: a percentage of what has no parts, a count with digits.
func typedAs(of *reports.Number, n number) (v float64, decimals int, fits bool) {
	fraction := !of.Percent && strings.Trim(of.Text, "0123456789") != "" // a metric, p, θ
	switch {
	case of.Percent && !n.percent && n.decimals >= 2 && math.Abs(n.value) <= 1:
		return 100 * n.value, n.decimals - 2, true
	case of.Percent && (n.percent || n.cell):
		return n.value, n.decimals, true
	case of.Percent:
		return 0, 0, false
	case fraction && n.percent:
		return n.value / 100, n.decimals + 2, true
	case fraction:
		return n.value, n.decimals, n.decimals >= 1 && math.Abs(n.value) <= 1
	}
	return n.value, n.decimals, !n.percent && n.decimals == 0 // a count
}
