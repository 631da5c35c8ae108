package analyze

import (
	"math"
	"slices"

	"infnet/harness/pool"
	"infnet/harness/result"
	"infnet/metrics/infer"
)

var infinite = math.Inf(1)

func (x *pooled) models() (err error) {
	for m, name := range x.r.Cascade.Models {
		out := result.PoolModel{Model: name, Fit: result.PoolPoint{Cost: x.found.Costs[m], Error: x.found.Errors[m]},
			Confident: x.fit[m].Beta != nil}
		iv := kept[infer.Interval](&err)
		out.Error, out.Cost = iv(x.resamples.RateOf(x.test[m].Error)), iv(x.resamples.Mean(x.test[m].Cost))
		for k, c := range x.found.Envelope {
			if !slices.Contains(c.Asks(x.fit), m) {
				continue
			}
			out.Envelope = append(out.Envelope, k)
			price := x.out.Envelope[k].Price
			if n := len(out.Worth); n > 0 && out.Worth[n-1].To == price.From {
				out.Worth[n-1].To = price.To
			} else {
				out.Worth = append(out.Worth, price)
			}
		}
		out.Hull = slices.ContainsFunc(x.found.Families[0].Hull,
			func(c pool.Candidate) bool { return c.Models[0] == m })
		x.out.Models = append(x.out.Models, out)
	}
	return err
}

// savings judges the cheapest cascade of no more error than a model, for each model that is best alone at some price of
// an error. The intervals hold together, so that the best of the savings may be picked.
func (x *pooled) savings() error {
	var models []pool.Measured
	for m := range x.test {
		models = append(models, x.test.Alone(m))
	}
	names, margin := x.r.Cascade.Models, x.r.Study.Report.Margin
	var contests []*pool.Contest
	var measured []int // savings that have a cascade
	for _, single := range x.found.Families[0].Hull {
		m := single.Models[0]
		s := result.PoolSaving{Model: names[m]}
		if best, ok := x.found.Best(single.Error); ok {
			choice, played, err := x.choice(best)
			if err != nil {
				return err
			}
			loss, err := pool.LossOf(x.resamples, x.test, best.Policy)
			if err != nil {
				return err
			}
			s.Cascade, s.Signal, s.Structure, s.Choice = &choice, &loss.Signal, &loss.Structure, &loss.Choice
			claim := pool.Claim{Ours: played, Models: models, Than: []int{m}, Single: pool.None, Margin: margin}
			contests = append(contests, pool.NewContest(x.resamples, claim))
			measured = append(measured, len(x.out.Savings))
		}
		x.out.Savings = append(x.out.Savings, s)
	}
	for k, w := range pool.Judge(contests) {
		v := &result.Rival{Margin: margin}
		v.Conclude(w, names)
		x.out.Savings[measured[k]].Rival = v
	}
	return nil
}

func (x *pooled) pairs() error {
	names := x.r.Cascade.Models
	for _, p := range x.found.Pairs {
		out := result.PoolPair{Student: names[p.Student], Master: names[p.Master], Tried: len(p.Points)}
		for _, c := range pool.Pareto(p.Points) {
			out.Frontier = append(out.Frontier, result.PoolPoint(c.Point))
		}
		turn := x.found.Turn(p)
		out.Ratio, out.FitEven = result.Float(turn.Now), turn.BreakEven
		var err error
		if out.Theta, out.BreakEven, err = x.turn(p, turn); err != nil {
			return err
		}
		for _, share := range []float64{1, 0.5} { // of the gap to the master's error
			turn, ok := x.found.TurnAt(p, share)
			if !ok {
				continue
			}
			at := result.PoolEven{Share: share, FitEven: turn.BreakEven}
			if at.Theta, at.BreakEven, err = x.turn(p, turn); err != nil {
				return err
			}
			out.Even = append(out.Even, at)
		}
		x.out.Pairs = append(x.out.Pairs, out)
	}
	return nil
}

func (x *pooled) turn(p pool.Pair, turn pool.Ratio) (theta result.Float, even *infer.Interval, err error) {
	if turn.BreakEven == 0 {
		return 0, nil, nil
	}
	theta = result.Float(turn.At.Theta[0])
	student, master := x.test.Alone(p.Student), x.test.Alone(p.Master)
	ours := pool.Measured{Cost: make([]float64, x.test.Len()), Error: slices.Clone(student.Error)}
	for i, beta := range x.test[p.Student].Beta {
		if beta < turn.At.Theta[0] {
			ours.Cost[i], ours.Error[i] = master.Cost[i], master.Error[i]
		}
	}
	v, err := pool.TurnOf(x.resamples, ours, student, master, 0)
	return theta, &v.BreakEven, err
}
