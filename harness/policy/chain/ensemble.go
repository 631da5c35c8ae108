package chain

import (
	"fmt"
	"slices"

	"infnet/harness/policy"
)

// EnsembleRule is the rule that combines the answers of several models into one.
type EnsembleRule string

// The rules. Whatever the rule, every member is paid for on every query.
const (
	// the class that most members name; a tie goes to the class with the most confident member
	Majority EnsembleRule = "majority"
	Weighted EnsembleRule = "confidence-weighted" // the class with the largest sum of confidences
)

func EnsembleRules() []EnsembleRule { return []EnsembleRule{Majority, Weighted} }

// Member is one model of an ensemble on every record.
type Member struct {
	Class []int     // the class it names, any numbering that members share: for free text, equal numbers for equal answers
	Beta  []float64 // its confidence ∈ [0,1]; 0 where none is known
	Err   []float64 // its error ∈ [0,1]
}

// Ensemble returns, for each record, the position of the member whose answer the
// ensemble gives: the most confident member of the winning class. Ties go to the
// more confident member, then to the later one, which is the more expensive where
// members are listed as in a cascade. Two members that disagree are tied: the more
// confident one wins under either rule.
func Ensemble(members []Member, rule EnsembleRule) ([]int, error) {
	if len(members) < 2 {
		return nil, fmt.Errorf("an ensemble of %d members: want two or more", len(members))
	}
	if !slices.Contains(EnsembleRules(), rule) {
		return nil, fmt.Errorf("ensemble rule %q: want one of %v", rule, EnsembleRules())
	}
	n := len(members[0].Class)
	for m, x := range members {
		if len(x.Class) != n {
			return nil, fmt.Errorf("member %d has %d classes, the first has %d", m, len(x.Class), n)
		}
		if err := (policy.Records{Beta: x.Beta, Student: x.Err}).Validate(); err != nil {
			return nil, fmt.Errorf("member %d of the ensemble: %w", m, err)
		}
		if len(x.Beta) != n {
			return nil, fmt.Errorf("member %d has %d confidences for %d classes", m, len(x.Beta), n)
		}
	}
	out := make([]int, n)
	for i := range out {
		out[i] = vote(members, i, rule)
	}
	return out, nil
}

func vote(members []Member, i int, rule EnsembleRule) int {
	best, most := -1, 0.0
	for m, x := range members {
		score := 0.0
		for _, y := range members {
			switch {
			case y.Class[i] != x.Class[i]:
			case rule == Majority:
				score++
			default:
				score += y.Beta[i]
			}
		}
		if best < 0 || score > most || score == most && x.Beta[i] >= members[best].Beta[i] {
			best, most = m, score
		}
	}
	return best
}
