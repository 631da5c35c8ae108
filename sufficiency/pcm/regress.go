package pcm

import "slices"

// rare is the number of records below which a class gets a line, not a curve
// of its own.
const rare = 20

// regression regresses on the null's columns: on β and, where there are classes,
// the residuals once more on β within every class. The lines of rare classes are
// pooled: see [lines].
type regression struct {
	fold   []int
	base   *smoother
	within []within
	rare   *lines // nil = none
}

// within is one class.
type within struct {
	class   int
	records []int
	*smoother
}

func newRegression(beta []float64, class, fold []int, folds int) *regression {
	r := &regression{fold: fold, base: newSmoother(newBasis(beta), beta, fold, folds)}
	place := map[int]int{}
	for i, c := range class {
		k, ok := place[c]
		if !ok {
			k = len(r.within)
			place[c] = k
			r.within = append(r.within, within{class: c})
		}
		r.within[k].records = append(r.within[k].records, i)
	}
	all := r.within
	if r.within = nil; len(all) == 1 {
		all = nil
	}
	if slices.ContainsFunc(all, func(w within) bool { return len(w.records) < rare }) {
		r.rare = &lines{height: make([]float64, len(beta)), fold: fold}
		for i, b := range beta {
			r.rare.height[i] = r.base.basis.rank(b)
		}
	}
	for _, w := range all {
		if len(w.records) < rare {
			r.rare.classes = append(r.rare.classes, w)
			continue
		}
		own := pick(beta, w.records)
		w.smoother = newSmoother(newBasis(own), own, pick(fold, w.records), folds)
		w.smoother.shrink = pseudo
		r.within = append(r.within, w)
	}
	return r
}

func pick[T any](x []T, at []int) []T {
	out := make([]T, len(at))
	for k, i := range at {
		out[k] = x[i]
	}
	return out
}

// always gives the same numbers whichever fold is left out.
func always(y []float64) sight { return func(int) []float64 { return y } }

// left gives the residuals of the common curve.
func (r *regression) left(y []float64, coefs func(k int) []float64) sight {
	kept := map[int][]float64{}
	return func(k int) []float64 {
		out, ok := kept[k]
		if !ok {
			out = make([]float64, len(y))
			for i, v := range y {
				out[i] = v - r.base.terms.height(coefs(k), i)
			}
			kept[k] = out
		}
		return out
	}
}

// of gives the numbers of some records.
func (s sight) of(records []int) sight { return func(k int) []float64 { return pick(s(k), records) } }

// crossfit predicts the numbers of every record from the other folds.
func (r *regression) crossfit(y []float64) []float64 {
	coefs, _ := r.base.crossfit(always(y))
	out := make([]float64, len(y))
	for i, fold := range r.fold {
		out[i] = r.base.terms.height(coefs[fold], i)
	}
	left := r.left(y, func(k int) []float64 { return coefs[k] })
	for _, w := range r.within {
		own, _ := w.crossfit(left.of(w.records))
		for j, i := range w.records {
			out[i] += w.terms.height(own[r.fold[i]], j)
		}
	}
	if r.rare != nil {
		r.rare.crossfit(left, out)
	}
	return out
}

// curve is a regression fitted to all records.
type curve struct {
	basis *basis
	coefs []float64
	class map[int]curve

	lines map[int]line // of rare classes
}

// whole fits the numbers of all records, with the penalties of crossfit.
func (r *regression) whole(y []float64) curve {
	coefs, chosen := r.base.crossfit(always(y))
	c := curve{basis: r.base.basis, coefs: r.base.whole(always(y), chosen), class: map[int]curve{}, lines: map[int]line{}}
	left := r.left(y, func(int) []float64 { return c.coefs })
	for _, w := range r.within {
		own := left.of(w.records)
		_, chosen := w.crossfit(own)
		c.class[w.class] = curve{basis: w.basis, coefs: w.whole(own, chosen)}
	}
	if r.rare != nil {
		pull := r.rare.crossfit(r.left(y, func(k int) []float64 { return coefs[k] }), make([]float64, len(y)))
		for _, w := range r.rare.classes {
			c.lines[w.class] = r.rare.fit(w.records, left(none), none, pull)
		}
	}
	return c
}

// at is the curve at one β and class; a class never seen has the common curve.
func (c curve) at(beta float64, class int) float64 {
	v := c.basis.rows(beta).height(c.coefs, 0)
	if own, ok := c.class[class]; ok {
		v += own.basis.rows(beta).height(own.coefs, 0)
	}
	if own, ok := c.lines[class]; ok {
		v += own.at(c.basis.rank(beta))
	}
	return v
}
