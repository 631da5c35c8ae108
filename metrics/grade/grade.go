// Package grade says whether an answer is right: a rule for numbers, one for mathematics, one for choices, one for
// JSON, and one for texts that contain the reference. It owns these comparisons. It asks nobody, and floating-point
// arithmetic has no part in it.
//
// Its opinion: a rule that cannot read an answer says so, and guesses nothing. EVIDENCE.md has it beside other graders.
package grade

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
