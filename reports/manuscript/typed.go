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
	for _, n := range numbers {
		f, ok := b.judge(n, named(text, n), about)
		if !ok {
			continue
		}
		f.place, f.Text = s.place(at.from+n.from), n.text
		out = append(out, f)
	}
	return out
}

// subject is what a sentence is about.
type subject struct {
	datasets []string        // of the runs, that it names; of one, it is taken for granted
	named    bool            // and does so in words
	policies map[string]bool // other than ours
}

// about finds the datasets and policies that a sentence names.
func (b *Book) about(text string) subject {
	x := subject{policies: map[string]bool{}}
	plain := strings.NewReplacer(`\textsc`, "", `\texttt`, "", "{", "", "}", "", `\_`, "_").Replace(text)
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
	return x
}

// called is a name of a thing and how texts write it.
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
		switch n.Policy {
		case "student":
			add(&b.policies, n.Policy, n.Models[0])
		case "master":
			add(&b.policies, n.Policy, n.Models[len(n.Models)-1])
		}
	}
}

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

// candidates are the numbers of the runs that a sentence could mean.
func (b *Book) candidates(what string, x subject) (out []int) {
	for i := range b.numbers {
		n := &b.numbers[i]
		if len(x.datasets) > 0 && !slices.Contains(x.datasets, n.Dataset) {
			continue
		}
		if what != "" && !is(n, what) {
			continue
		}
		out = append(out, i)
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

// meant reports whether a sentence could mean a number of this policy: ours, the two models, and those it names.
func meant(n *reports.Number, what string, x subject) bool {
	switch {
	case n.Main || x.policies[n.Policy]:
		return true
	case n.Policy == "student" || n.Policy == "master":
		return what != "savings" && what != "deferral"
	}
	return false
}

// judge compares a number with those of the runs.
func (b *Book) judge(n number, what string, x subject) (f Finding, ok bool) {
	significant := len(strings.TrimLeft(strings.NewReplacer(".", "", "-", "", ",", "").Replace(
		strings.TrimRight(n.text, `\%~ `)), "0"))
	if what == "" && (len(x.datasets) == 0 || significant < 3 || n.decimals == 0) {
		return f, false
	}
	if len(x.datasets) == 0 && significant < 3 {
		return f, false
	}
	all := b.candidates(what, x)
	equal, close, first := -1, -1, -1
	for _, i := range all {
		v, decimals, fits := typedAs(&b.numbers[i], n)
		if !fits {
			continue
		}
		like := meant(&b.numbers[i], what, x)
		d := math.Abs(v - round(b.numbers[i].Value, decimals))
		switch {
		case d < 1e-9 && (equal < 0 || like && !meant(&b.numbers[equal], what, x)):
			equal = i
		case d < 1.5*math.Pow10(-decimals) && like && close < 0 && !ends(&b.numbers[i]):
			close = i
		}
		if is := x.policies[b.numbers[i].Policy]; like && (is || b.numbers[i].Main) && !ends(&b.numbers[i]) &&
			(first < 0 || is && !x.policies[b.numbers[first].Policy]) {
			first = i
		}
	}
	say := func(k Kind, i int, words string) (Finding, bool) {
		return Finding{Kind: k, Fix: fmt.Sprintf(words, b.numbers[i].Text+sign(&b.numbers[i]), b.shortest(i))}, true
	}
	switch {
	case equal >= 0 && (what == "" || meant(&b.numbers[equal], what, x)):
		return say(Equal, equal, "typed by hand; the run has %s: write \\inf{%s}")
	case what == "" || len(x.datasets) != 1 || first < 0:
		return f, false
	case what == "records" || what == "threshold": // a text speaks of others, too
		return f, false
	case close >= 0:
		return say(Nearly, close, "the run has %s: write \\inf{%s}")
	case !x.named:
		return f, false
	}
	return say(Contradicts, first, "the run has %s: write \\inf{%s}")
}

func sign(n *reports.Number) string {
	if n.Percent {
		return " %"
	}
	return ""
}

func ends(n *reports.Number) bool {
	return strings.HasSuffix(n.Quantity, "-low") || strings.HasSuffix(n.Quantity, "-high")
}

// typedAs is a typed number in the unit of a number of the run, with its digits there; fits is false where it cannot be
// one: a percentage of what has no parts, a count with digits.
func typedAs(of *reports.Number, n number) (v float64, decimals int, fits bool) {
	fraction := !of.Percent && strings.Trim(of.Text, "0123456789") != "" // a metric, p, θ
	switch {
	case of.Percent && n.percent:
		return n.value, n.decimals, true
	case of.Percent && n.decimals >= 2 && math.Abs(n.value) <= 1:
		return 100 * n.value, n.decimals - 2, true
	case of.Percent:
		return 0, 0, false
	case fraction && n.percent:
		return n.value / 100, n.decimals + 2, true
	case fraction:
		return n.value, n.decimals, n.decimals >= 1 && math.Abs(n.value) <= 1
	}
	return n.value, n.decimals, !n.percent && n.decimals == 0 // a count
}
