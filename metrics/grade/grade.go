// Package grade says whether an answer is right: a rule for numbers, one for mathematics, one for choices, one for
// JSON, and one for texts that contain the reference. It owns these comparisons. It asks nobody, and floating-point
// arithmetic has no part in it.
//
// Its opinion: a rule that cannot read an answer says so, and guesses nothing. EVIDENCE.md has it beside other graders.
package grade

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"infnet/metrics"
)

// Verdict is what a rule says of an answer.
type Verdict int

// The verdicts, the best last.
const (
	Wrong     Verdict = iota - 1
	Undecided         // the rule cannot read the answer or the reference, or cannot tell
	Right
)

// among is the verdict on an answer to which several references are right: right by one of them, undecided if it may
// be, wrong by all.
func among(references []string, one func(reference string) Verdict) Verdict {
	out := Wrong
	for _, r := range references {
		out = max(out, one(r))
	}
	return out
}

func verdict(right bool) Verdict {
	if right {
		return Right
	}
	return Wrong
}

var (
	// lettered is a letter, alone or before the text of its option: B, (b), "B." and "B) Paris".
	lettered = regexp.MustCompile(`^(?:[\s(\[*$]|\\(?:boxed|text|textbf|mathrm|mathbf)\{)*([A-Za-z])` +
		`(?:[\s)\].:*$}]*|[)\].:*]+\s+\S.*)$`)
	// several are letters of which none is chosen: "A) or B)", "A. B."
	several = regexp.MustCompile(`^[\s(\[*]*[A-Za-z][)\].:*]+\s+(?:(?:or|and|&)\s+)?[(\[*]*[A-Za-z][)\].:*]*$`)
)

// Choice compares the letters that answer and reference begin with. An answer without one is right if it is the text
// of a reference with its letter ("B. Paris"), after SQuAD normalisation.
func Choice(answer string, references []string) Verdict {
	a := letter(answer)
	return among(references, func(reference string) Verdict {
		r := letter(reference)
		if _, text, ok := strings.Cut(reference, ". "); ok && a == "" && r != "" &&
			metrics.ScoreExactMatch(answer, []string{text}) == 1 {
			return Right
		}
		if a == "" || r == "" || several.MatchString(answer) && answer != reference {
			return Undecided
		}
		return verdict(a == r)
	})
}

// letter is the letter of a text, as a capital; "" = it has none.
func letter(text string) string {
	m := lettered.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return ""
	}
	return strings.ToUpper(m[1])
}

// Contains compares words: an answer is right if the words of a reference are in it, one after the other, in the form
// in which SQuAD compares answers; but -5, 1.5 and 5% are words of their own. A reference of no word decides nothing.
func Contains(answer string, references []string) Verdict {
	said := " " + spelt(answer) + " "
	return among(references, func(reference string) Verdict {
		words := spelt(reference)
		if words == "" {
			return Undecided
		}
		return verdict(strings.Contains(said, " "+words+" "))
	})
}

// numerals are the marks of a number, which SQuAD's form drops.
var numerals = []struct {
	mark *regexp.Regexp
	word string
}{
	{regexp.MustCompile(`(^|[\s(\[{=:,*"])[-−]([$€£]?\.?\d)`), "${1}minus$2"},
	{regexp.MustCompile(`\.(\d)`), "point$1"},
	{regexp.MustCompile(`(\d)/(\d)`), "${1}over$2"},
	{regexp.MustCompile(`(\d),(\d{1,2}(?:\D|$))`), "$1 $2"},
	{regexp.MustCompile(`(\d) ?(?:\\?%|percent\b|per cent\b)`), "${1}percent"},
}

// spelt is SQuAD's form of a text with its numbers kept.
func spelt(text string) string {
	for _, n := range numerals {
		text = n.mark.ReplaceAllString(text, n.word)
	}
	return metrics.NormaliseSQuAD(text)
}

// plain is text without numbers and formulas.
var plain = regexp.MustCompile(`^[\pL\s.,;:?&'"“”’]*\pL{4}[\pL\s.,;:?&'"“”’]*$`)

// Alike reports whether an answer is a reference: in the form in which SQuAD compares answers where both are plain
// text, else as it is written, but for a full stop and letters that begin a word. So -5 is not 5, nor (1, 2) 12.
func Alike(answer string, references []string) bool {
	written := func(text string) []string {
		return smallFirst(strings.Fields(strings.TrimSuffix(strings.TrimSpace(text), ".")))
	}
	return slices.ContainsFunc(references, func(r string) bool {
		return slices.Equal(written(answer), written(r)) ||
			plain.MatchString(answer) && plain.MatchString(r) && metrics.ScoreExactMatch(answer, []string{r}) == 1
	})
}

// smallFirst are words with small first letters where they have several, and without the and an: a is a name, too.
func smallFirst(words []string) []string {
	for i, w := range words {
		if len(w) > 2 || w == "No" || w == "An" {
			words[i] = strings.ToLower(w[:1]) + w[1:]
		}
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "the" || w == "an" })
}

// JSON compares values of JSON: the order of keys and the way a number is written count for nothing. What is no value
// is undecided.
func JSON(answer string, references []string) Verdict {
	a, ok := valueOf(answer)
	if !ok {
		return Undecided
	}
	return among(references, func(reference string) Verdict {
		r, ok := valueOf(reference)
		if !ok {
			return Undecided
		}
		return verdict(equal(a, r))
	})
}

// valueOf reads a text that is one value and nothing else.
func valueOf(text string) (value any, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil, false
	}
	_, err := d.Token()
	return value, errors.Is(err, io.EOF)
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, y := exact(a), exact(b)
		return a == b || x != nil && y != nil && x.Cmp(y) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	}
	return a == b
}

// exact is the value of a number; nil for one that is too long to compute with.
func exact(n json.Number) *big.Rat {
	sign, digits := big.NewRat(1, 1), n.String()
	if rest, ok := strings.CutPrefix(digits, "-"); ok {
		sign, digits = big.NewRat(-1, 1), rest
	}
	if r := rational(digits); r != nil {
		return r.Mul(r, sign)
	}
	return nil
}
