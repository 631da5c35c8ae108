package guarantee

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Halves divides the records of a fit part, by index. Nothing the confidence
// needs (calibrator, scale, regressor) may have been fitted on Test, nor may β
// be out-of-fold predictions.
type Halves struct {
	// half A: fixes the reference, the candidates and their order; may be empty for a single threshold by
	// ConformalRisk
	Propose []int
	Test    []int // half B: tests them, in this order, which must not depend on the records: see Shuffle

	// Cluster is the cluster of every record of the fit part: records that share
	// a source (a passage, a conversation) and so are not independent. A cluster
	// lies in one half as a whole, and its records are next to each other in
	// Test. nil = every record is a cluster of its own.
	Cluster []int
}

// Shuffle puts Test in random order: clusters in random order, whatever their
// sizes, and records in random order within each.
func (h *Halves) Shuffle(rng *rand.Rand) {
	if h.Cluster == nil {
		rng.Shuffle(len(h.Test), func(i, j int) { h.Test[i], h.Test[j] = h.Test[j], h.Test[i] })
		return
	}
	var order []int // clusters, as they first appear
	members := map[int][]int{}
	for _, i := range h.Test {
		g := h.Cluster[i]
		if members[g] == nil {
			order = append(order, g)
		}
		members[g] = append(members[g], i)
	}
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	h.Test = h.Test[:0:0]
	for _, g := range order {
		list := members[g]
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		h.Test = append(h.Test, list...)
	}
}

// check reports indices that are out of range or used twice, and clusters that are
// split.
func (h Halves) check(n int, needPropose bool) error {
	if len(h.Test) == 0 || needPropose && len(h.Propose) == 0 {
		return fmt.Errorf("a guarantee with %d records to propose and %d to test: both need some", len(h.Propose),
			len(h.Test))
	}
	if h.Cluster != nil && len(h.Cluster) != n {
		return fmt.Errorf("%d clusters for %d records: every record needs its cluster", len(h.Cluster), n)
	}
	seen := make([]bool, n)
	for _, half := range [][]int{h.Propose, h.Test} {
		for _, i := range half {
			if i < 0 || i >= n {
				return fmt.Errorf("record %d of a half is outside the %d records", i, n)
			}
			if seen[i] {
				return fmt.Errorf("record %d is in the halves twice: what proposes may not test", i)
			}
			seen[i] = true
		}
	}
	return h.checkClusters()
}

func (h Halves) checkClusters() error {
	if h.Cluster == nil {
		return nil
	}
	ended := map[int]bool{} // clusters that another record may not continue
	for _, i := range h.Propose {
		ended[h.Cluster[i]] = true
	}
	for k, i := range h.Test {
		g := h.Cluster[i]
		if k > 0 && h.Cluster[h.Test[k-1]] == g {
			continue
		}
		if ended[g] {
			return fmt.Errorf("record %d: its cluster %d is in both halves, or in two places of the half that tests: keep "+
				"clusters whole (Halves.Shuffle does)", i, g)
		}
		ended[g] = true
	}
	return nil
}

// spans returns the sizes of the clusters of a list of records, in its order.
func (h Halves) spans(list []int) []int {
	if h.Cluster == nil {
		return nil
	}
	var out []int
	at := map[int]int{}
	for _, i := range list {
		k, ok := at[h.Cluster[i]]
		if !ok {
			k = len(out)
			at[h.Cluster[i]] = k
			out = append(out, 0)
		}
		out[k]++
	}
	return out
}

// cut returns the records that test and the sizes of their clusters, none
// above most: of larger clusters the first records, which are random ones.
func (h Halves) cut(most int) (test, spans []int) {
	if h.Cluster == nil {
		return h.Test, nil
	}
	at := 0
	for _, n := range h.spans(h.Test) {
		keep := min(n, most)
		test = append(test, h.Test[at:at+keep]...)
		spans = append(spans, keep)
		at += n
	}
	return test, spans
}

// most returns the largest number of records of one cluster that may test. It is
// fixed before half B is used.
func (h Halves) most(g Terms) (int, error) {
	switch {
	case h.Cluster == nil:
		return 1, nil
	case g.MaxCluster > 0:
		return g.MaxCluster, nil
	case len(h.Propose) == 0:
		return 0, fmt.Errorf("records in clusters, and no half to propose: say how large a cluster may be, max_cluster")
	}
	return slices.Max(h.spans(h.Propose)), nil
}
