package pool

// Ratio is the ratio of a pair's prices, and the ratio below which one of its thresholds
// makes the pair cheaper than both models and all coins between them; 0 = at no price.
type Ratio struct {
	Now       float64 // the student's mean cost over the master's; +Inf where only the master is free
	BreakEven float64
	At        Candidate // the threshold that allows the highest ratio
}

// Turn finds the highest break-even price ratio of a pair, whatever the threshold then
// errs.
func (f *Found) Turn(p Pair) Ratio {
	student, master := f.Errors[p.Student], f.Errors[p.Master]
	return f.turn(p, func(c Candidate) float64 { // where it errs less than both, the master alone is the nearest rival
		ratio, _ := BreakEven(student, master, max(master, c.Error+slack), f.deferred(p, c))
		return ratio
	})
}

// TurnAt finds the break-even price ratio of a pair that closes at least so much of the
// gap between the student's error and the master's: with share 1 it errs no more than
// the master. Its rival asks the master with that probability. ok is false where the
// master errs no less than the student, so that there is no gap.
func (f *Found) TurnAt(p Pair, share float64) (out Ratio, ok bool) {
	student, master := f.Errors[p.Student], f.Errors[p.Master]
	if student <= master+slack {
		return Ratio{}, false
	}
	most := student - float64(share*(student-master))
	return f.turn(p, func(c Candidate) float64 {
		if c.Error > most+slack {
			return 0
		}
		return max(0, 1-f.deferred(p, c)/share)
	}), true
}

// turn finds the threshold of the highest ratio.
func (f *Found) turn(p Pair, of func(Candidate) float64) Ratio {
	out := Ratio{Now: priceRatio(f.Costs[p.Student], f.Costs[p.Master])}
	if f.Costs[p.Master] == 0 {
		return out // nothing is cheaper than a free master
	}
	for _, c := range p.proper() {
		if ratio := of(c); ratio > out.BreakEven {
			out.BreakEven, out.At = ratio, c
		}
	}
	return out
}

// deferred is what deferred queries pay the master, as a share of what all would.
func (f *Found) deferred(p Pair, c Candidate) float64 {
	return (c.Cost - f.Costs[p.Student]) / f.Costs[p.Master]
}

// priceRatio is 1 where both are free.
func priceRatio(student, master float64) float64 {
	if student == master {
		return 1
	}
	return student / master
}
