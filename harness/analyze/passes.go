package analyze

import (
	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics"
	"infnet/metrics/infer"
)

// vendors says of every decision model whose reported confidence is β which statistic that is.
func (s *measurer) vendors() (notes []result.Note) {
	for m := range s.r.Models {
		if name := s.r.Cascade.Models[m]; s.r.ConfidenceName(m) == string(confidence.Vendor) {
			notes = append(notes, note.Vendor(name, confidence.Statistic(func(yield func(backends.Answer) bool) {
				for _, i := range s.r.Fit {
					if !yield(s.r.Models[m].At(i)) {
						return
					}
				}
			})))
		}
	}
	return notes
}

// passes says of every model that votes how often single samples are right on the test part: pass@1, and pass@n of all
// its n samples.
func (s *measurer) passes() (notes []result.Note, err error) {
	for m := range s.r.Models {
		of := &s.r.Models[m]
		if of.Passed == nil {
			continue
		}
		n := of.Spec.Samples.N
		var at [2]infer.Interval
		for k, among := range []int{1, n} {
			var x []float64
			for _, i := range s.r.Test {
				x = append(x, metrics.PassAtK(n, of.Passed[i], among))
			}
			if at[k], err = s.resamples.RateOf(x); err != nil {
				return nil, err
			}
		}
		notes = append(notes, note.Samples(s.r.Cascade.Models[m], n, len(s.r.Test), at[0], at[1]))
	}
	return notes, nil
}
