package pool

import (
	"math"
	"slices"

	"infnet/metrics/infer"
)

// Without is what a pool loses without one model, at the price of an error where it loses most on the fit part.
type Without struct {
	Price      float64   // of an error, in units of cost
	With, Left Candidate // the best choice at that price, of all models and of the others
}

// Lost reports whether the choices differ at all.
func (w *Without) Lost() bool { return w.With.total(w.Price) < w.Left.total(w.Price)*(1-slack) }

// total is what a query costs where an error has a price.
func (p Point) total(price float64) float64 { return p.Cost + float64(price*p.Error) }

// Without finds what the pool loses without a model. The loss is a share of what the best choice costs, errors counted
// at their price; it is looked for at every price at which the choice changes, with the model or without, and where
// the errors of the choice that errs least, with or without, cost as much as the answers of the first.
func (f *Found) Without(r Records, model int) (Without, error) {
	var rest []Candidate
	for _, c := range f.tried {
		if !slices.Contains(c.Asks(r), model) {
			rest = append(rest, c)
		}
	}
	others := &Found{Costs: f.Costs}
	if err := others.router(r, model); err != nil {
		return Without{}, err
	}
	rest = Hull(append(rest, others.tried...))
	last := f.Envelope[len(f.Envelope)-1]
	prices := []float64{0}
	for _, errs := range []float64{last.Error, rest[len(rest)-1].Error} {
		if errs > 0 && last.Cost > 0 {
			prices = append(prices, last.Cost/errs)
		}
	}
	for _, hull := range [][]Candidate{f.Envelope, rest} {
		for k := 1; k < len(hull); k++ {
			prices = append(prices, Price(hull[k-1].Point, hull[k].Point))
		}
	}
	slices.Sort(prices)
	out, most := Without{}, math.Inf(-1)
	for _, p := range prices {
		w := Without{Price: p, With: bestAt(f.Envelope, p), Left: bestAt(rest, p)}
		all := w.With.total(p)
		if loss := w.Left.total(p)/all - 1; all > 0 && loss > most+slack {
			out, most = w, loss
		}
	}
	if math.IsInf(most, -1) { // nothing costs anything at any of the prices
		out = Without{With: f.Envelope[0], Left: rest[0]}
	}
	return out, nil
}

// bestAt is the best of a hull at a price of an error; of two that are as good, the cheaper.
func bestAt(hull []Candidate, price float64) Candidate {
	best := hull[0]
	for _, c := range hull[1:] {
		if c.total(price) < best.total(price)*(1-slack) {
			best = c
		}
	}
	return best
}

// Losses measures on some records what a pool loses without each of its models, as a share of what the best choice
// costs there. The intervals hold together; nil = the best choice costs nothing on the records or some resample.
func Losses(rs *infer.Resamples, r Records, list []Without) ([]*infer.Interval, error) {
	out := make([]tally, len(list))
	for k, w := range list {
		with, err := w.With.priced(r, w.Price)
		if err != nil {
			return nil, err
		}
		left, err := w.Left.priced(r, w.Price)
		if err != nil {
			return nil, err
		}
		sums := tallied(rs, left, with)
		out[k] = sums[0]
		for b, below := range sums[1] {
			out[k][b] = out[k][b]/below - 1
		}
		if !w.Lost() { // the same choice, or one as good on the fit part
			clear(out[k])
		}
	}
	return together(rs, out)
}

// priced is what each record costs, with its error at a price.
func (p Policy) priced(r Records, price float64) ([]float64, error) {
	m, err := p.Play(r)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(m.Cost))
	for i := range out {
		out[i] = Point{m.Cost[i], m.Error[i]}.total(price)
	}
	return out, nil
}
