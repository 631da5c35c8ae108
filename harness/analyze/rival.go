package analyze

import (
	"fmt"
	"slices"

	"infnet/harness/cost"
	"infnet/harness/pool"
	"infnet/harness/result"
	"infnet/harness/result/note"
)

// warn gives a row that is not worth it a caveat, in place of an earlier one.
func warn(x *result.Row, models []string) {
	x.Notes = slices.DeleteFunc(x.Notes, func(n result.Note) bool { return n.Kind == note.SingleModel })
	if x.Rival != nil && x.Rival.Verdict == string(pool.NotWorthIt) {
		x.Notes = append(x.Notes, note.Worth(x.Rival, models[student], models[len(models)-1]))
	}
}

// against judges whether a row is worth it beside single models and coins between two.
func (s *measurer) against(x *row) error {
	if s.r.Repeat > 0 {
		return nil // only the values of its rows are used
	}
	of := s.charged()
	claim := pool.Claim{Ours: pool.Measured{Cost: x.plan.paid(of), Error: x.plan.mix(s.errors)},
		Single: x.plan.single(), Margin: s.r.Study.Report.Margin}
	for m := range s.r.Models {
		claim.Models = append(claim.Models, pool.Measured{Cost: of[m], Error: s.errors[m]})
	}
	var paid []float64 // to the last model; nil = not known
	if last := len(x.plan.models) - 1; x.plan.charge == cost.Cascade && x.plan.overhead == 0 {
		paid = x.plan.asked(last)
		for i, asked := range paid {
			paid[i] = float64(asked * of[x.plan.models[last]][i])
		}
	}
	x.contest = pool.NewContest(s.resamples, claim)
	x.Rival = &result.Rival{Margin: claim.Margin}
	x.Rival.Conclude(pool.Judge([]*pool.Contest{x.contest})[0], s.r.Cascade.Models)
	if claim.Single != pool.None {
		x.Rival.Single = s.r.Cascade.Models[claim.Single]
	}
	if len(x.plan.models) != 2 || paid == nil {
		return nil
	}
	low, high := claim.Models[x.plan.models[0]], claim.Models[x.plan.models[1]]
	ours := pool.Measured{Cost: paid, Error: claim.Ours.Error}
	turn, err := pool.TurnOf(s.resamples, ours, low, high, claim.Margin)
	if err != nil {
		return fmt.Errorf("row %s, price ratio: %w", x.Policy, err)
	}
	x.Rival.Ratio, x.Rival.BreakEven = turn.Ratio, &turn.BreakEven // the price ratio at which the comparison changes
	return nil
}

// judgeTogether judges the rows that the headlines are about, one of each cascade and dataset, so that the best of all
// may be picked.
func judgeTogether(list []*Analysed) {
	var contests []*pool.Contest
	var of []*row
	var in []*Analysed
	for _, a := range list {
		if x := a.rows.named(mainRow(a.Records)); x != nil && x.contest != nil {
			contests, of, in = append(contests, x.contest), append(of, x), append(in, a)
		}
	}
	for k, w := range pool.Judge(contests) {
		names := in[k].Records.Cascade.Models
		of[k].Rival.Conclude(w, names)
		for i := range in[k].Result.Rows {
			if r := &in[k].Result.Rows[i]; r.Policy == of[k].Policy {
				warn(r, names)
			}
		}
	}
}
