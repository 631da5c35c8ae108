package grade

import (
	"regexp"
	"strings"

	"infnet/metrics"
)

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
