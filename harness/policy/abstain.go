package policy

import (
	"errors"
	"fmt"
	"math"

	"infnet/harness/calc"
)

// Choice is what becomes of a query where a policy may abstain.
type Choice uint8

const (
	StudentAnswers Choice = iota
	MasterAnswers
	Abstains // the student has answered, nobody else is asked
)

// Abstention answers, defers or abstains:
//
//	β < Low_k: no answer      Low_k ≤ β < High_k: ask the master      β ≥ High_k: the student's answer
//
// M. J. Zellinger and M. Thomson, "Early Abstention in LLM Cascades" (2025), §3, which abstain at any model of a
// chain by one threshold each.
type Abstention struct {
	Low, High Thresholds // Low ≤ High, by class or one for all
}

// Choose says what becomes of a query of a class.
func (a Abstention) Choose(class int, beta float64) Choice {
	switch {
	case a.High.Accept(class, beta):
		return StudentAnswers
	case a.Low.Accept(class, beta):
		return MasterAnswers
	}
	return Abstains
}

// Decide chooses for each record.
func (a Abstention) Decide(r Records) []Choice {
	out := make([]Choice, r.Len())
	for i, beta := range r.Beta {
		class := 0
		if len(a.High) > 1 {
			class = r.Class[i]
		}
		out[i] = a.Choose(class, beta)
	}
	return out
}

// Losses are the prices, in the unit of costs, of an error and of a query without an answer.
type Losses struct{ Error, Abstain float64 }

// check refuses prices at which nobody would abstain, or that are none.
func (l Losses) check() error {
	if !(l.Abstain > 0) || !(l.Abstain < l.Error) || math.IsInf(l.Error, 1) {
		return fmt.Errorf("an error at %v, an abstention at %v: want 0 < abstention < error, both finite; one that costs "+
			"as much as an error never pays", l.Error, l.Abstain)
	}
	return nil
}

// FitAbstention returns the thresholds of least loss on the records, the cost of the
// deferred ones included; of several class by class the least Low, then the least High.
// A class without records is deferred.
//
// It is exact: losses are integers in units of 2⁻³¹ of the largest. A class is a sequence
// of tie groups in order of confidence, to each of which one of three losses is due, and
// the least over all Low ≤ High is found in one pass, after a sort.
func FitAbstention(r Records, l Losses, single bool) (Abstention, error) {
	err := l.check()
	if err == nil {
		err = r.Validate()
	}
	if err == nil && r.MasterCost == nil {
		err = errors.New("abstention needs the master's cost of every record")
	}
	if err != nil {
		return Abstention{}, err
	}
	if single || r.Class == nil {
		r.Class, r.Classes = make([]int, r.Len()), 1
	}
	_, top := math.Frexp(r.topCost() + l.Error)
	units := func(loss float64) int64 { return int64(math.RoundToEven(math.Ldexp(loss, 31-top))) }
	members := make([][]int, max(1, r.Classes))
	for i, k := range r.Class {
		members[k] = append(members[k], i)
	}
	var out Abstention
	for _, list := range members {
		beta := make([]float64, len(list))
		for j, i := range list {
			beta[j] = r.Beta[i]
		}
		var s sequence
		for tie := range calc.Ties(beta) {
			s.beta = append(s.beta, beta[tie[0]])
			var sum [states]int64
			for _, j := range tie {
				i := list[j]
				sum[abstained] += units(l.Abstain)
				sum[deferred] += units(r.MasterCost[i] + float64(l.Error*r.MasterError(i)))
				sum[accepted] += units(float64(l.Error * r.Student[i]))
			}
			s.loss = append(s.loss, sum)
		}
		low, high := s.thresholds()
		out.Low, out.High = append(out.Low, low), append(out.High, high)
	}
	return out, nil
}

// FitAlone returns the bar of least loss for one model that answers alone, below which its answers are dropped; of
// several the least. What it costs is the same at every bar.
func FitAlone(beta, errs []float64, l Losses) (float64, error) {
	if err := l.check(); err != nil {
		return 0, err
	}
	order := calc.Ascending(beta)
	best, least, sum := 0.0, 0.0, 0.0 // against answering everything
	for k, i := range order {
		sum += l.Abstain - float64(l.Error*errs[i])
		if k+1 < len(order) && beta[order[k+1]] == beta[i] || sum >= least {
			continue
		}
		least, best = sum, math.Inf(1)
		if k+1 < len(order) {
			best = beta[order[k+1]]
		}
	}
	return best, nil
}

// The states that a tie group may be in, by rising confidence.
const (
	abstained = iota
	deferred
	accepted
	states
)

// sequence is a class: its distinct confidences, ascending, and their losses by state.
type sequence struct {
	beta []float64
	loss [][states]int64
}

// thresholds returns those of least loss: the least low, then the least high.
func (s *sequence) thresholds() (low, high float64) {
	if len(s.beta) == 0 {
		return 0, math.Inf(1)
	}
	// With sums over the groups below: loss = Σ accepted + to(high)[deferred − accepted] + to(low)[abstained − deferred].
	type cut struct {
		loss int64
		at   int
	}
	var lowest, best cut
	bestLow, below, above := 0, int64(0), int64(0)
	for g := range s.loss {
		below += s.loss[g][abstained] - s.loss[g][deferred]
		above += s.loss[g][deferred] - s.loss[g][accepted]
		if below < lowest.loss {
			lowest = cut{below, g + 1}
		}
		if loss := above + lowest.loss; loss < best.loss || loss == best.loss && lowest.at < bestLow {
			best, bestLow = cut{loss, g + 1}, lowest.at
		}
	}
	return s.bar(bestLow), s.bar(best.at)
}

// bar is the threshold that leaves so many groups below it.
func (s *sequence) bar(groups int) float64 {
	switch groups {
	case 0:
		return 0
	case len(s.beta):
		return math.Inf(1)
	}
	return s.beta[groups]
}
