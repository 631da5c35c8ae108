package records

import (
	"errors"
	"slices"
	"testing"

	"infnet/harness/dataset"
	"infnet/harness/spec"
	"infnet/harness/split"
)

// A part of which no record is left says so with every cause, and a pair gives
// the causes of its chain.
func TestDivideWithoutRecords(t *testing.T) {
	chain := &Records{Lost: []Loss{{Model: "middle", Cause: "timeout", Count: 2}}}
	p := preparation{
		Records: &Records{Study: &spec.Study{}, Used: []bool{true, true, false}, chain: chain},
	}
	if err := divide(&p, split.Parts{Fit: []int{0, 2}, Test: []int{1}}); err != nil || !slices.Equal(p.Fit, []int{0}) {
		t.Errorf("fit part %v, %v; want record 0", p.Fit, err)
	}
	err := divide(&p, split.Parts{Fit: []int{0, 1}, Test: []int{2}})
	var few *TooFewError
	if !errors.As(err, &few) || few.Fit != 2 || few.Test != 0 || !slices.Equal(few.Missing, chain.Lost) {
		t.Errorf("%v; want two records that fit, none that tests, and the chain's causes", err)
	}
}

// Groups are numbered as they first appear; records without one are clusters of
// their own, and where nobody has a group there are no clusters.
func TestClusters(t *testing.T) {
	r := &Records{Set: &dataset.Set{Examples: []dataset.Example{{}, {Group: "b"}, {Group: "a"}, {}, {Group: "b"}}}}
	if got, want := Clusters(r, []int{0, 1, 2, 3, 4}), []int{-1, 0, 1, -4, 0}; !slices.Equal(got, want) {
		t.Errorf("clusters %v, want %v", got, want)
	}
	if got := Clusters(r, []int{0, 3}); got != nil {
		t.Errorf("clusters %v of records without a group", got)
	}
}
