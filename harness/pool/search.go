package pool

import (
	"slices"

	"infnet/harness/calc"
	"infnet/harness/policy/chain"
)

// Options say which policies are tried beside the single models and the pairs.
type Options struct {
	Chains    bool // three models in series, cheapest first
	Ensembles []chain.EnsembleRule
}

// Pair is everything one threshold can do with two models on the fit part.
type Pair struct {
	Student, Master int
	Points          []Candidate // the laxest threshold first
}

// proper are the thresholds that keep some answers and defer others: the first keeps
// all, which is the student alone, and the last defers all, which is worse than the
// master alone.
func (p *Pair) proper() []Candidate { return p.Points[1:max(1, len(p.Points)-1)] }

// Family is the policies of one kind.
type Family struct {
	Kind  Kind
	Tried int // policies
	Hull  []Candidate
}

// Found is what the policies of a pool do on the fit part.
type Found struct {
	Errors, Costs []float64 // means, by model
	Singles       []Candidate
	Pairs         []Pair
	Families      []Family    // those that could be tried
	Envelope      []Candidate // the hull of all families

	chains []Candidate
}

// Search tries every policy on the fit part.
func Search(r Records, o Options) (*Found, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	f := &Found{}
	f.Errors, f.Costs = r.Means()
	for m := range r {
		f.Singles = append(f.Singles, Candidate{Policy{Kind: Single, Models: []int{m}}, r.Alone(m).Mean()})
	}
	f.add(Single, len(f.Singles), f.Singles)
	f.cascades(r, o)
	if err := f.ensembles(r, o); err != nil {
		return nil, err
	}
	if err := f.router(r); err != nil {
		return nil, err
	}
	var all []Candidate
	for _, x := range f.Families {
		all = append(all, x.Hull...)
	}
	f.Envelope = Hull(all)
	return f, nil
}

func (f *Found) add(kind Kind, tried int, list []Candidate) {
	if len(list) > 0 {
		f.Families = append(f.Families, Family{kind, tried, Hull(list)})
	}
}

// cascades tries all pairs of models, and all chains of three in the orders of their
// costs.
func (f *Found) cascades(r Records, o Options) {
	sweeps := make([]*sweep, len(r))
	var all []Candidate
	tried := 0
	for s := range r {
		if r[s].Beta == nil {
			continue
		}
		sweeps[s] = newSweep(r, s)
		for m := range r {
			if m != s {
				p := Pair{s, m, sweeps[s].frontier(m)}
				f.Pairs = append(f.Pairs, p)
				all, tried = append(all, Hull(p.proper())...), tried+len(p.Points)
			}
		}
	}
	if o.Chains {
		triples := f.triples(sweeps)
		limit := steps(r.Len(), len(triples))
		for _, t := range triples {
			list := chains3(sweeps[t[0]], sweeps[t[1]], t[2], limit)
			tried += len(list)
			f.chains = append(f.chains, Hull(list)...)
		}
	}
	f.add(Cascade, tried, append(all, f.chains...))
}

// triples are three models each that cost no less than the one before: models of equal
// cost come in every order.
func (f *Found) triples(sweeps []*sweep) (out [][3]int) {
	follows := func(a, b int) bool { return a != b && f.Costs[a] <= f.Costs[b]+float64(slack*f.Costs[b]) }
	for a := range f.Costs {
		for b := range f.Costs {
			for c := range f.Costs {
				if a != c && follows(a, b) && follows(b, c) && sweeps[a] != nil && sweeps[b] != nil {
					out = append(out, [3]int{a, b, c})
				}
			}
		}
	}
	return out
}

// ensembles tries two, three and all models that have answers to compare.
func (f *Found) ensembles(r Records, o Options) error {
	var can []int
	for m := range r {
		if r[m].Class != nil {
			can = append(can, m)
		}
	}
	var list []Candidate
	for _, rule := range o.Ensembles {
		for _, members := range subsets(can) {
			p := Policy{Kind: Ensemble, Models: members, Rule: rule}
			played, err := p.Play(r)
			if err != nil {
				return err
			}
			list = append(list, Candidate{p, played.Mean()})
		}
	}
	f.add(Ensemble, len(list), list)
	return nil
}

// subsets are two, three and all of some models.
func subsets(of []int) (out [][]int) {
	for i := range of {
		for j := i + 1; j < len(of); j++ {
			out = append(out, []int{of[i], of[j]})
			for k := j + 1; k < len(of); k++ {
				out = append(out, []int{of[i], of[j], of[k]})
			}
		}
	}
	if len(of) > 3 {
		out = append(out, of)
	}
	return out
}

// pricesTried is the number of prices of an error at which the router is tried.
const pricesTried = 200

// router tries the router that decides before any answer, at prices of an error that are evenly spaced on a
// logarithmic scale.
func (f *Found) router(r Records) error {
	p := Policy{Kind: Router}
	for m := range r {
		if r[m].Guess != nil {
			p.Models, p.Costs = append(p.Models, m), append(p.Costs, f.Costs[m])
		}
	}
	if len(p.Models) < 2 {
		return nil
	}
	spread := slices.Max(p.Costs) - slices.Min(p.Costs)
	if spread == 0 {
		spread = slices.Max(p.Costs)
	}
	var list []Candidate
	for k := range pricesTried {
		p.Price = spread * calc.Pow(10, -2+6*float64(k)/(pricesTried-1)) // from a hundredth of it to 10,000 times
		played, err := p.Play(r)
		if err != nil {
			return err
		}
		list = append(list, Candidate{p, played.Mean()})
	}
	f.add(Router, len(list), list)
	return nil
}

// slack is how far means of the same errors, or shares of the same costs, may differ by
// the order of their sums.
const slack = 1e-12

// Best returns the cheapest cascade of at most so many errors per query that
// sometimes keeps an answer and sometimes goes on; ok is false where there is none.
// Of chains of three those on the hull are looked at.
func (f *Found) Best(most float64) (best Candidate, ok bool) {
	var list []Candidate
	for _, p := range f.Pairs {
		list = append(list, p.proper()...)
	}
	for _, c := range append(list, f.chains...) {
		if c.Error <= most+slack && (!ok || less(c.Cost, c.Error, best.Cost, best.Error)) {
			best, ok = c, true
		}
	}
	return best, ok
}
