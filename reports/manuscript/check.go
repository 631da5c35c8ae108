package manuscript

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/choice"
	"infnet/reports"
)

// Kind is what is the matter with a place of a manuscript.
type Kind string

// The kinds, the gravest first.
const (
	Unknown     Kind = "unknown"     // no number has this name
	Contradicts Kind = "contradicts" // a number that the sentence names is another one in the run
	Outdated    Kind = "outdated"    // a file that another run made
	Nearly      Kind = "nearly"      // differs from the run's in the last digit
	Unclear     Kind = "unclear"     // it is none of the several numbers that the sentence may mean
	Equal       Kind = "equal"       // typed by hand: right today
)

// Wrong reports whether the paper would be wrong.
func (k Kind) Wrong() bool { return k != Equal && k != Unclear }

// Finding is a place of a manuscript to look at.
type Finding struct {
	Kind Kind
	place
	Text string // what stands there
	Fix  string // what to do
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s: %s: %s", f.place, f.Kind, f.Text, f.Fix)
}

// Check reads a LaTeX manuscript and lists what does not agree with the runs, the gravest first: macros without a
// number, files of other runs, and numbers typed by hand that are one of the run, nearly one, or another than the one
// that their sentence names. A number is compared where its sentence names a quantity or a dataset; see
// docs/the-paper.md.
func (b *Book) Check(ctx context.Context, path string) ([]Finding, error) {
	s, err := read(path)
	if err != nil {
		return nil, err
	}
	found := b.macros(s)
	for _, m := range s.made { // from another run of these studies
		for _, comment := range m.comments {
			study, _, _ := strings.Cut(comment, ";")
			for _, r := range b.runs {
				now := reports.Comment(r.Results)
				if of, _, _ := strings.Cut(now, ";"); of == study && now != comment {
					found = append(found, Finding{Outdated, m.from, m.file, "made from another run of this study than " + r.Folder +
						": make it again with infnet paper"})
				}
			}
		}
	}
	for _, sentence := range s.sentences() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found = append(found, b.typed(s, sentence)...)
	}
	order := []Kind{Unknown, Contradicts, Outdated, Nearly, Unclear, Equal}
	slices.SortStableFunc(found, func(x, y Finding) int {
		return cmp.Compare(slices.Index(order, x.Kind), slices.Index(order, y.Kind))
	})
	return found, nil
}

var macro = regexp.MustCompile(`\\inf\s*\{([^{}]*)\}`)

// word is in every name: \inf{0.5} is the operator.
var word = regexp.MustCompile(`[A-Za-z]{2}`)

// macros finds those without a number. Braces in mathematics that hold no name are an argument of the operator.
func (b *Book) macros(s *source) (out []Finding) {
	names := slices.SortedFunc(maps.Keys(b.at), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	})
	for _, at := range macro.FindAllStringSubmatchIndex(s.raw, -1) {
		name := s.raw[at[2]:at[3]]
		if _, known := b.at[name]; known || !strings.Contains(name, ".") || !word.MatchString(name) {
			continue
		}
		out = append(out, Finding{Unknown, s.place(at[0]), s.raw[at[0]:at[1]], missing(name, names)})
	}
	return out
}

// missing says what could be meant by a name that no number has: one that ends in it, one that is like it but for its
// last part, or one that is like it.
func missing(name string, names []string) string {
	var tails []string
	head := name[:strings.LastIndexByte(name, '.')+1]
	for _, n := range names {
		if strings.HasSuffix(n, "."+name) {
			return fmt.Sprintf("several numbers have this name: say which, as in \\inf{%s}", n)
		}
		if tail, ok := strings.CutPrefix(n, head); ok {
			tails = append(tails, tail)
		}
	}
	for rest := name; rest != ""; {
		if _, rest, _ = strings.Cut(rest, "."); slices.Contains(names, rest) { // STUDY.DATASET leaves out the middle
			return fmt.Sprintf("no number has this name; did you mean \\inf{%s}?", rest)
		}
	}
	if near := choice.Nearest(name[len(head):], tails); near != "" {
		return fmt.Sprintf("no number has this name; did you mean \\inf{%s%s}?", head, near)
	}
	if near := choice.Nearest(name, names); near != "" {
		return fmt.Sprintf("no number has this name; did you mean \\inf{%s}?", near)
	}
	return "no number has this name; numbers.tex has them all"
}

type number struct {
	span
	text     string
	value    float64
	decimals int
	percent  bool
	end      bool // of a range or an interval, or half of one: contradicts nothing
	cell     bool // of a table, whose head may have the unit
}

var (
	numeral = regexp.MustCompile(`[-−]?(?:[0-9]{1,3}(?:(?:,|\{,\}|\\,)[0-9]{3})+|[0-9]+)?(?:\.[0-9]+)?`)
	unit    = regexp.MustCompile(`^(?:\\[,;: ]|[~\s${}])*(?:\\%|%|\\percent\b|percent\b|per cent\b)`)

	// between two numbers of one unit: 1, 2 and 3 %; 1--3 %; 1 ± 2 %; and from a number to its interval: 1 % [2, 3]
	listed = regexp.MustCompile(`^(?:\\[,;: ]|[~\s${},]|--?|–|\band\b|\bor\b|\bto\b)*$`)
	spread = regexp.MustCompile(`^(?:\\[,;: ]|[~\s${}])*(?:\\pm\b|±|--|–|\}\{)(?:\\[,;: ]|[~\s${}])*$`)
	opened = regexp.MustCompile(`%[~\s]*(?:CI|confidence interval)?[~\s:]*\$?[\[(]\$?$`)
)

// around is how many bytes beside a number tell whether it is one.
const around = 32

// numbersIn are the numbers of a sentence that may be claims: no indices, exponents, parts of names, or numbered
// things.
func numbersIn(text string) (out []number) {
	for _, at := range numeral.FindAllStringIndex(text, -1) {
		if at[0] == at[1] || text[at[0]:at[1]] == "-" || text[at[0]:at[1]] == "−" {
			continue
		}
		if text[at[0]] == '-' && strings.HasSuffix(text[:at[0]], "-") { // 10--12
			at[0]++
		}
		before, after := text[max(0, at[0]-around):at[0]], text[at[1]:min(len(text), at[1]+around)]
		if attached.MatchString(before) || joined.MatchString(after) || numbered.MatchString(before) ||
			level.MatchString(after) || european.MatchString(text[at[0]:min(len(text), at[1]+2)]) ||
			set.MatchString(before) && !claimed.MatchString(before) {
			continue
		}
		plain := strings.NewReplacer(",", "", "{", "", "}", "", `\`, "", "−", "-").Replace(text[at[0]:at[1]])
		v, err := strconv.ParseFloat(plain, 64)
		if err != nil {
			continue
		}
		n := number{span: span{at[0], at[1]}, text: text[at[0]:at[1]], value: v}
		if _, fraction, ok := strings.Cut(plain, "."); ok {
			n.decimals = len(fraction)
		}
		if u := unit.FindString(after); u != "" {
			n.percent = true
			n.text += strings.NewReplacer("$", "", "{", "", "}", "").Replace(u)
		}
		out = append(out, n)
	}
	for i := len(out) - 1; i > 0; i-- {
		x, y := &out[i-1], &out[i]
		between := text[x.to:y.from]
		x.percent = x.percent || y.percent && (listed.MatchString(between) || spread.MatchString(between))
		if spread.MatchString(between) {
			y.end, x.end = true, x.end || !strings.Contains(between, "±") && !strings.Contains(between, `\pm`)
		}
	}
	for i := 1; i < len(out); i++ {
		x, y := &out[i-1], &out[i]
		between := text[x.to:y.from]
		if x.percent && (opened.MatchString(between) || x.end && listed.MatchString(between)) {
			y.percent, y.end = true, true
		}
	}
	return out
}

var (
	level    = regexp.MustCompile(`^(?:\\[,;: ]|[~\s${}])*(?:\\%|%)[-~\s]*(?:CIs?|confidence|credible|intervals?)\b`) // 95 % CI
	european = regexp.MustCompile(`^[0-9]+,[0-9]$`)                                                                   // 16,4
	attached = regexp.MustCompile(`(?:[A-Za-z0-9_^/\\]|[_^]\{[-+]?|[A-Za-z0-9][-.:]|(?:^|[^0-9.])[0-9]+,)$`)
	joined   = regexp.MustCompile(`^(?:[A-Za-z_^/:]|-[A-Za-z0-9]|\.[0-9]|\}?\^|\s*\\times|(?:st|nd|rd|th)\b|` +
		`(?:\\[,;: ]|[~\s$])*(?:percentage |\\%-?)?points?\b)`) // a difference
	set      = regexp.MustCompile(`(?:\\?[A-Za-z]+)\}?\s*(?:=|\\in\b|\\approx\b)[\s$]*$`) // \alpha = 0.05
	claimed  = regexp.MustCompile(`(?:^|[^A-Za-z])(?:p|F_1|\\theta)\s*(?:=|\\approx)[\s$]*$`)
	numbered = regexp.MustCompile(`(?i)(?:sections?|sec\.|figures?|fig\.|tables?|tab\.|equations?|eq\.|chapter|appendix|step|` +
		`algorithm|theorem|lemma|footnote|version|seed|top-?)[~\s]*\(?$`)
)

// quantity is a kind of numbers, and the words by which a sentence names it.
type quantity struct {
	name  string // as reports.Number has it; "" = none of the run's
	words *regexp.Regexp
}

var quantities = []quantity{
	{"savings", regexp.MustCompile(`(?i)\bsav(?:es?|ed|ings?)\b|\bcheaper\b|\bcost reductions?\b|` +
		`\b(?:reduc|cut)\w* (?:in )?(?:the )?(?:inference )?costs?\b`)},
	{"deferral", regexp.MustCompile(`(?i)\bdefer\w*|\bescalat\w+|\basks? (?:the )?master\b|\bis asked\b`)},
	{"error", regexp.MustCompile(`(?i)\berrors?(?: rates?)?\b|\berrs?\b|\bwrong\b|\bmistakes?\b`)},
	{"threshold", regexp.MustCompile(`(?i)\bthresholds?\b|\\theta\b`)},
	{"p-", regexp.MustCompile(`(?i)\bp\$?-?values?\b|\bp\$?\s*(?:=|<|\\approx)`)},
	{"records", regexp.MustCompile(`(?i)\b(?:records|examples|queries|samples|questions|instances)\b`)},
	{"accuracy", regexp.MustCompile(`(?i)\baccura(?:cy|cies|te)\b`)},
	{"f1-macro", regexp.MustCompile(`(?i)\bf1\b|\bf_1\b|\bmacro[- ]f`)},
	{"rouge-l", regexp.MustCompile(`(?i)\brouge\b`)},
	{"cosine", regexp.MustCompile(`(?i)\bcosine\b`)},
	{"budget", regexp.MustCompile(`(?i)\bbudget\b`)},
	{"", regexp.MustCompile(`(?i)\b(?:intervals?|ci|confidence|up to|ris(?:es?|ing)|rose|falls?|fell|level|bootstrap|resampl\w+|seeds?|folds?|epochs?|rate|layers?|parameters|` +
		`billion|million|dimensions?|gpus?|hours?|minutes|seconds|tokens?|price|dollars?|times|fewer|more than|` +
		`at (?:least|most)|classes|models|datasets|degrad\w+|drops?|loss|los\w+|increas\w+|decreas\w+|improv\w+|gains?|` +
		`differ\w*|higher|lower)\b|\\\$`)},
}

// whole is before a word that names a policy, not a quantity: full deferral, all deferred.
var whole = regexp.MustCompile(`(?i)\b(?:full|all|none|no)[- ]$`)

var apart = regexp.MustCompile(`[,;:(]|\b(?:at|of|with|within|under|in|on|to|for|by|than|and|while|where|but)\b`)

var cells = regexp.MustCompile(`(?:^|[^\\])&`)

// near is how many characters may lie between a number and the word that says what it is.
const near = 70

// named is the quantity that a sentence gives to a number: that of the nearest word; "" = none, or one that is no
// run's.
func named(text string, n number) string {
	from, to := max(0, n.from-2*near), min(len(text), n.to+2*near)
	text, n.from, n.to = text[from:to], n.from-from, n.to-from
	if cells.MatchString(text) {
		return "" // "None Deferred & 0.84 & 99 %": what a column is about stands elsewhere
	}
	best, least := "", near+1
	for _, q := range quantities {
		for _, at := range q.words.FindAllStringIndex(text, -1) {
			if whole.MatchString(text[max(0, at[0]-8):at[0]]) {
				continue
			}
			d := max(at[0]-n.to, n.from-at[1], 0)
			if at[0] > n.to && apart.MatchString(text[n.to:at[0]]) {
				d += near / 2 // "an error of 9.7 % at this budget" and "82 % cost savings"
			}
			if strings.ContainsRune(text[min(at[1], n.to):max(at[0], n.from)], ';') {
				continue
			}
			if d < least {
				best, least = q.name, d
			}
		}
	}
	return best
}
