package analyze

import (
	"fmt"
	"math"

	"infnet/harness/cost"
	"infnet/harness/pool"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
)

// rival sets a row beside the best single model, or coin between two models, that
// errs no more on the fit part, where the row does what onFit says. Costs are the
// constants of the fit part, as in the saving.
func (s *measurer) rival(x *row, onFit plan) error {
	if err := s.against(x, onFit); err != nil {
		return err
	}
	if x.Rival != nil && x.Rival.Verdict == string(pool.Costlier) {
		x.Notes = append(x.Notes, result.NewNote(rivalNote(s.r, x.Rival)))
	}
	if n, ok := s.slower(x.plan); ok {
		x.Notes = append(x.Notes, result.NewNote(n))
	}
	return nil
}

// against is rival without the caveat.
func (s *measurer) against(x *row, onFit plan) error {
	if s.r.Repeat > 0 {
		return nil // only the values of its rows are used
	}
	errs, alone := make(byModel, len(s.r.Models)), make([]float64, len(s.r.Models))
	for m := range s.r.Models {
		errs[m] = s.r.Models[m].Errors(s.r.Fit)
		alone[m] = total(errs[m])
	}
	most := total(onFit.mix(errs))
	out := &result.Rival{}
	x.Rival = out
	coin, ok := pool.Cheapest(alone, s.r.Summaries(), most)
	if !ok {
		out.Verdict = string(pool.Unrivaled)
		return nil
	}
	constant := make(byModel, len(s.r.Models))
	var models []pool.Measured
	for m, c := range s.r.Summaries() {
		constant[m] = repeated(c, len(s.ones))
		models = append(models, pool.Measured{Cost: constant[m], Error: s.errors[m]})
	}
	ours := pool.Measured{Cost: s.paidAt(x.plan, constant), Error: x.plan.mix(s.errors)}
	v, err := pool.Against(s.resamples, ours, models, coin)
	if err != nil {
		return fmt.Errorf("row %s, against a single model: %w", x.Policy, err)
	}
	names := s.r.Cascade.Models
	out.First, out.Second, out.P = names[coin.First], names[coin.Second], coin.P
	out.Verdict, out.Free, out.Error = string(v.Verdict()), v.Free, v.Error
	if !v.Free {
		out.Cost = &v.Cost
	}
	if err := s.turn(x, alone, most); err != nil {
		return fmt.Errorf("row %s, price ratio: %w", x.Policy, err)
	}
	return nil
}

// turn finds the price ratio at which the comparison of two models changes.
func (s *measurer) turn(x *row, alone []float64, most float64) error {
	if len(x.plan.models) != 2 || x.plan.charge != cost.Cascade || x.plan.overhead != 0 {
		return nil
	}
	low, high := x.plan.models[0], x.plan.models[1]
	p := pool.MasterShare(alone[low], alone[high], most)
	if math.IsNaN(p) {
		return nil
	}
	deferred := x.plan.asked(1)
	turn, err := pool.TurnOf(s.resamples, p, s.ones, s.ones, deferred)
	if err != nil {
		return err
	}
	x.Rival.Ratio = s.r.Models[low].Cost.Summary / s.r.Models[high].Cost.Summary
	x.Rival.BreakEven = &turn.BreakEven
	return nil
}

// rivalNote is the comparison as a caveat.
func rivalNote(r *records.Records, v *result.Rival) note.Rival {
	out := note.Rival{Found: true, First: v.First, Second: v.Second, P: v.P, Part: "test part", Priced: true,
		Verdict: v.Verdict, Free: v.Free, Error: v.Error}
	if v.Cost != nil {
		out.Cost = *v.Cost
	}
	if v.BreakEven != nil {
		out.Turn = &note.Turn{Student: r.Cascade.Models[student], Master: r.Cascade.Models[r.Last()], Ratio: v.Ratio,
			BreakEven: *v.BreakEven}
	}
	return out
}

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

func repeated(v float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}
