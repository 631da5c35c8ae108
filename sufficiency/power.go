package sufficiency

import (
	"context"
	"math"
	"slices"
	"strconv"

	"infnet/harness/calc"
	"infnet/harness/seed"
	"infnet/metrics/infer"
	"infnet/sufficiency/gbdt"
	"infnet/sufficiency/permute"
)

// PowerWanted is the power from which on an effect size counts as detectable.
const PowerWanted = 0.8

// strengths are the planted effects tried.
var strengths = []float64{0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}

// Power is the smallest effect that the test would have detected on these
// records.
//
// An effect of strength ρ is planted by reassigning the values of Δ among near
// neighbours in β, in the order of ρ·z + √(1−ρ²)·noise, where z is the rank of a
// randomly drawn column of J. The dependence of Δ on β stays; its dependence on J
// is replaced. The effect counts as detected if the projected covariance measure
// has p ≤ α, or if its ΔMSE is in the upper tail α of the permutation
// distribution.
type Power struct {
	Strength float64      `json:"strength"`       // smallest ρ in (0,1] detected with probability 0.8; 0 = none of them
	Gain     float64      `json:"gain"`           // mean ΔMSE planted by it; 0 with Strength
	Tried    []PowerPoint `json:"tried"`          // by strength; none = the permutations are too few to reach α
	Note     string       `json:"note,omitempty"` // in words; Run writes none
}

// PowerPoint is one strength tried.
type PowerPoint struct {
	Strength float64        `json:"strength"`
	Detected infer.Interval `json:"detected"` // share of the planted studies
	Gain     float64        `json:"gain"`     // mean ΔMSE
}

// power finds the smallest detectable strength by bisection.
func (s *nullTests) power(ctx context.Context, row *Row, extra *gbdt.Features) (*Power, error) {
	p := &Power{}
	plan, err := s.plan(permute.Conditional, s.o.Stratum)
	if err != nil {
		return nil, err
	}
	bar := 0.0
	if row.Permutation != nil {
		permuted := row.Permutation.Test.Statistics
		if permute.Needed(len(permuted), s.o.Alpha) > 0 {
			return p, nil
		}
		bar = critical(permuted, s.o.Alpha)
	}
	low, high := 0, len(strengths) // the smallest seen is in [low, high]
	for low < high {
		mid := (low + high) / 2
		point, err := s.detectionRate(ctx, plan, extra, row.Set, strengths[mid], bar)
		if err != nil {
			return nil, err
		}
		p.Tried = append(p.Tried, point)
		if point.Detected.Value >= PowerWanted {
			high = mid
			p.Strength, p.Gain = point.Strength, point.Gain
		} else {
			low = mid + 1
		}
	}
	slices.SortFunc(p.Tried, func(a, b PowerPoint) int {
		if a.Strength < b.Strength {
			return -1
		}
		return 1
	})
	return p, nil
}

// critical returns the smallest statistic t with (1 + #{T^p ≥ t})/(T+1) ≤ alpha:
// just above the k-th largest permuted one, where at most k−1 may reach t.
func critical(permuted []float64, alpha float64) float64 {
	sorted := slices.Sorted(slices.Values(permuted))
	reach := int(alpha*float64(len(sorted)+1)*(1+1e-12)) - 1
	return math.Nextafter(max(0, sorted[len(sorted)-1-reach]), math.Inf(1))
}

// detectionRate plants effects of one strength, in parallel, and returns the share
// that the test detects.
func (s *nullTests) detectionRate(ctx context.Context, plan *permute.Plan, extra *gbdt.Features, set string, strength,
	bar float64) (PowerPoint, error) {
	gains, seen := make([]float64, s.o.Power), make([]bool, s.o.Power)
	one := func(ctx context.Context, id, k int) (float64, error) {
		r := seed.Stream(s.o.Seed, "sufficiency", s.o.Name, set, s.null.String(), "power",
			strconv.FormatFloat(strength, 'g', -1, 64), strconv.Itoa(k))
		target := s.plantEffect(plan, extra.Ranks(r.IntN(extra.Columns())), strength, r.NormFloat64)
		w, pred := &s.fit.workers[id], make([]float64, s.n)
		null, err := s.fit.sum(ctx, w, s.known, target, pred)
		if err != nil {
			return 0, err
		}
		full, err := s.fit.sum(ctx, w, gbdt.Join(s.known, extra.View()), target, pred)
		gains[k] = (null - full) / float64(s.n)
		if s.o.Method != PCM || err != nil {
			seen[k] = gains[k] >= bar
			return gains[k], err
		}
		result, err := s.projectedCovariance(ctx, set, extra, target,
			[]string{"power", strconv.FormatFloat(strength, 'g', -1, 64), strconv.Itoa(k)}, nil, 1)
		seen[k] = result.P <= s.o.Alpha && gains[k] > 0
		return gains[k], err
	}
	if _, err := permute.Test(ctx, bar, one, permute.Options{Count: s.o.Power, Threads: s.o.Threads}, nil); err != nil {
		return PowerPoint{}, err
	}
	detected := 0
	for _, hit := range seen {
		if hit {
			detected++
		}
	}
	share, err := infer.ClopperPearson(detected, s.o.Power, s.o.Level)
	return PowerPoint{Strength: strength, Detected: share, Gain: mean(gains)}, err
}

// plantEffect reassigns the values of Δ within every stratum.
func (s *nullTests) plantEffect(plan *permute.Plan, ranks []uint32, strength float64, noise func() float64) []float64 {
	out := make([]float64, s.n)
	key := make([]float64, s.n)
	weight := math.Sqrt(max(0, 1-float64(strength*strength)))
	var values []float64
	plan.Each(func(records []int32) {
		values = values[:0]
		for _, i := range records {
			// The rank as a normal score, as far as a logistic one is one.
			u := (float64(ranks[i]) + 0.5) / float64(s.n)
			key[i] = float64(strength*calc.Log(u/(1-u))*math.Sqrt(3)/math.Pi) + float64(weight*noise())
			values = append(values, s.delta[i])
		}
		slices.Sort(values)
		order := slices.Clone(records)
		slices.SortStableFunc(order, func(a, b int32) int {
			if key[a] < key[b] {
				return -1
			}
			if key[a] > key[b] {
				return 1
			}
			return 0
		})
		for k, i := range order {
			out[i] = values[k]
		}
	})
	return out
}
