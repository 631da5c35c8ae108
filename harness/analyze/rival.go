package analyze

import (
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

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
	if last := len(x.plan.models) - 1; x.plan.charge == cost.Cascade && x.plan.overhead == 0 {
		claim.Last = x.plan.asked(last)
		for i, asked := range claim.Last {
			claim.Last[i] = float64(asked * of[x.plan.models[last]][i])
		}
	}
	x.contest = pool.NewContest(s.resamples, claim)
	x.Rival = &result.Rival{Margin: claim.Margin}
	x.Rival.Conclude(pool.Judge([]*pool.Contest{x.contest})[0], s.r.Cascade.Models)
	if claim.Single != pool.None {
		x.Rival.Single = s.r.Cascade.Models[claim.Single]
	}
	if len(x.plan.models) != 2 || claim.Last == nil {
		return nil
	}
	low, high := claim.Models[x.plan.models[0]], claim.Models[x.plan.models[1]]
	ours := pool.Measured{Cost: claim.Last, Error: claim.Ours.Error}
	turn, err := pool.TurnOf(s.resamples, ours, low, high, claim.Margin)
	if err != nil {
		return fmt.Errorf("row %s, price ratio: %w", x.Policy, err)
	}
	x.Rival.Ratio, x.Rival.BreakEven = turn.Ratio, &turn.BreakEven // the price ratio at which the comparison changes
	return nil
}

// judgeTogether judges the rows that the headlines are about, one of each cascade and dataset, so that the best of all
// may be picked, and finds what would change each verdict.
func judgeTogether(list []*Analysed, threads int) error {
	var contests []*pool.Contest
	var of []*row
	var in []*Analysed
	for _, a := range list {
		if x := a.rows.named(mainRow(a.Records)); x != nil && x.contest != nil {
			contests, of, in = append(contests, x.contest), append(of, x), append(in, a)
		}
	}
	var group errgroup.Group
	group.SetLimit(max(1, threads))
	for k, t := range pool.Trials(contests) {
		group.Go(func() (err error) {
			a, x, names := in[k], of[k], in[k].Records.Cascade.Models
			x.Rival.Conclude(t.Worth, names)
			if x.Rival.Flips, err = flips(a.Records, t, x); err != nil {
				return fmt.Errorf("cascade %s on dataset %s: %w", a.Records.Cascade.Name, a.Records.Dataset.Name, err)
			}
			for i := range a.Result.Rows {
				if r := &a.Result.Rows[i]; r.Policy == x.Policy {
					warn(r, names)
				}
			}
			return nil
		})
	}
	return group.Wait()
}
