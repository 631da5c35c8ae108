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
	Largest int // records of the largest cluster known, be it in neither half; 0 = the largest of the halves
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

// most returns the largest number of records that a cluster may have. The
// largest cluster that was seen is no bound: sizes that are rare and large can
// hold half of all records, and no sample of clusters without one of them says
// anything about their error. A bound that the records contradict is refused.
// Where they do not, half B is a sample of the clusters within the bound, and
// that is what the promise is about.
func (h Halves) most(g Terms) (int, error) {
	if h.Cluster == nil {
		return 1, nil
	}
	largest := max(h.Largest, slices.Max(h.spans(slices.Concat(h.Propose, h.Test))))
	switch {
	case g.MaxCluster == 0:
		return 0, fmt.Errorf("records come in groups (the largest has %s), and rare groups larger than any seen may hold "+
			"many of the new records: say in max_cluster (--max-cluster) how many records a group can have by its nature, "+
			"or leave the guarantee out", counted(largest))
	case largest > g.MaxCluster:
		return 0, fmt.Errorf("a group of %s, where max_cluster allows %d: raise max_cluster to what a group can have by its "+
			"nature, or leave larger groups out of the data and of the deployment", counted(largest), g.MaxCluster)
	}
	return g.MaxCluster, nil
}

func counted(n int) string {
	if n == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", n)
}
