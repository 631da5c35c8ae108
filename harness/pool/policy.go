package pool

import (
	"fmt"
	"math"

	"infnet/harness/policy/chain"
)

type Kind string

// The kinds. An oracle is no policy: see Oracle.
const (
	Single   Kind = "single"
	Cascade  Kind = "cascade"  // of two models or three, each asked if those before it are not confident
	Ensemble Kind = "ensemble" // all members answer, and vote
	Router   Kind = "router"   // one model is asked, chosen by the query alone
)

// Policy is one way to answer queries with the models of a pool.
type Policy struct {
	Kind   Kind
	Models []int     // in the order asked
	Theta  []float64 // cascade: the answer of Models[k] stands where its confidence is at least Theta[k]
	Rule   chain.EnsembleRule
	// router: the price of an error, in units of cost; asked is the model of least expected price
	Price float64
	Costs []float64 // router: the models' mean costs on the fit part
}

// Play measures the policy on records, those it was chosen on or others.
func (p Policy) Play(r Records) (Measured, error) {
	out := Measured{Cost: make([]float64, r.Len()), Error: make([]float64, r.Len())}
	switch p.Kind {
	case Single:
		return r.Alone(p.Models[0]), nil
	case Cascade:
		for i, last := range p.Answers(r) {
			out.Error[i] = r[last].Error[i]
			for _, m := range p.Models {
				out.Cost[i] += r[m].Cost[i]
				if m == last {
					break
				}
			}
		}
		return out, nil
	case Router:
		for i := range out.Cost {
			m := p.route(r, i)
			out.Cost[i], out.Error[i] = r[m].Cost[i], r[m].Error[i]
		}
		return out, nil
	case Ensemble:
		return p.vote(r)
	}
	return out, fmt.Errorf("a policy of kind %q", p.Kind)
}

// Answers is whose answer a cascade takes, by record.
func (p Policy) Answers(r Records) []int {
	out := make([]int, r.Len())
	for i := range out {
		k := 0
		for k < len(p.Models)-1 && !(r[p.Models[k]].Beta[i] >= p.Theta[k]) {
			k++
		}
		out[i] = p.Models[k]
	}
	return out
}

// route is the model that the router asks about a record. Ties go to the cheaper,
// then to the first.
func (p Policy) route(r Records, i int) int {
	best, least := -1, math.Inf(1)
	for k, m := range p.Models {
		price := p.Costs[k] + float64(p.Price*(1-r[m].Guess[i]))
		if best < 0 || price < least || price == least && p.Costs[k] < p.Costs[best] {
			best, least = k, price
		}
	}
	return p.Models[best]
}

// Asks lists the models that the policy asks about some record. All models of other
// policies than routers are asked.
func (p Policy) Asks(r Records) []int {
	if p.Kind != Router {
		return p.Models
	}
	asked := make([]bool, len(r))
	for i := range r.Len() {
		asked[p.route(r, i)] = true
	}
	var out []int
	for _, m := range p.Models {
		if asked[m] {
			out = append(out, m)
		}
	}
	return out
}

func (p Policy) vote(r Records) (Measured, error) {
	members := make([]chain.Member, len(p.Models))
	for k, m := range p.Models {
		members[k] = chain.Member{Class: r[m].Class, Beta: r[m].Beta, Err: r[m].Error}
		if members[k].Beta == nil {
			members[k].Beta = make([]float64, r.Len())
		}
	}
	at, err := chain.Ensemble(members, p.Rule)
	out := Measured{Cost: make([]float64, r.Len()), Error: make([]float64, r.Len())}
	for i, k := range at {
		out.Error[i] = r[p.Models[k]].Error[i]
		for _, m := range p.Models {
			out.Cost[i] += r[m].Cost[i]
		}
	}
	return out, err
}

// Candidate is a policy with its point on the fit part.
type Candidate struct {
	Policy
	Point
}
