package sufficiency

import (
	"fmt"
	"math"

	"infnet/sufficiency/pcm"
)

// Notes say how a row's numbers came about.
func (f Facts) Notes() (notes []string) {
	if c := f.Truncated; c != nil {
		notes = append(notes, fmt.Sprintf("%d dimensions of %d by truncated SVD over all records (%.1f %% of the squared "+
			"length)", c.Dimensions, c.Of, 100*c.Kept))
	}
	if few := f.Undivided; few != nil {
		return append(notes, fmt.Sprintf("too few to divide: %d records or groups of records, fewer than the %d folds",
			few.Units, few.Folds))
	}
	if f.Delta != nil {
		return append(notes, fmt.Sprintf("Δ is %g on every record: there is nothing to predict", *f.Delta))
	}
	if f.FlatBeta {
		notes = append(notes, "β is the same on every record: the null model knows nothing")
	}
	if few := f.Unhalved; few != nil {
		notes = append(notes, fmt.Sprintf("too few records: %d records or groups of records; at least %d are needed",
			few.Units, few.Least))
	}
	return notes
}

// testedWords say what weakens the test of a row.
func testedWords(r *Row, records int) (notes []string) {
	if r.State == Undecided {
		notes = append(notes, misfitWords(r.PCM.Fit)+", so the test's p-value is none")
	}
	if r.State == Tested && !r.Finding && r.PCM != nil && r.PCM.Covariance.Seen > 0 {
		notes = append(notes, fmt.Sprintf("a change in the mean of Δ by %.0f points, rising evenly from the lowest to the "+
			"highest value of a column of J, would have been seen with probability 0.8 before adjustment (the median column)",
			math.Ceil(100*r.PCM.Covariance.Seen)))
	}
	if r.Permutation != nil && 2*r.Permutation.Fixed > records {
		notes = append(notes, fmt.Sprintf("%d of %d records have nothing to change places with; the test sees little",
			r.Permutation.Fixed, records))
	}
	if r.Permutation != nil && r.Method == Plain {
		notes = append(notes, "plain permutation also breaks the dependence of J on β: p can be small without J adding "+
			"anything")
	}
	return notes
}

// misfitWords say which regression failed its check.
func misfitWords(f pcm.Fit) string {
	switch {
	case f.P <= pcm.FitLevel:
		return fmt.Sprintf("the regression of Δ on what the null knows does not fit: its residuals go with β beyond chance "+
			"(smooth test on held-out residuals, p = %.4f, level %g)", f.P, pcm.FitLevel)
	case f.Rough <= pcm.FitLevel:
		return fmt.Sprintf("the regression of Δ on what the null knows does not fit: residuals of neighbours in β, or of "+
			"one class, go together beyond chance (p = %.4f, level %g)", f.Rough, pcm.FitLevel)
	case f.Around <= pcm.FitLevel:
		return fmt.Sprintf("what β and class leave of Δ goes with what they leave of J in a record's neighbours, which no "+
			"effect of its own J explains: both regressions miss the same steps (p = %.4f, level %g)", f.Around, pcm.FitLevel)
	}
	return fmt.Sprintf("J follows steps of β or of the class that no regression found (p = %.4f), and an error in the "+
		"regression of Δ along the same steps would look like an effect", f.Columns)
}
