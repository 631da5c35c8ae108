package gbdt

import (
	"math"

	"infnet/harness/calc"
)

// holdOut takes a share of the rows away.
func holdOut(rows []int32, o Options) (fit, held []int32) {
	want := min(max(1, int(o.Holdout*float64(len(rows)))), len(rows)-1)
	for i, r := range rows {
		if o.Random.IntN(len(rows)-i) < want-len(held) {
			held = append(held, r)
		} else {
			fit = append(fit, r)
		}
	}
	return fit, held
}

// stopper watches the loss on held-out rows.
type stopper struct {
	v     View
	y     []float64
	held  []int32
	pred  []float64
	o     Options
	best  float64
	trees int // of the best
	since int
}

func newStopper(m *Model, v View, y []float64, held []int32, o Options) *stopper {
	if len(held) == 0 {
		return nil
	}
	s := &stopper{v: v, y: y, held: held, o: o, pred: make([]float64, len(held))}
	for i := range s.pred {
		s.pred[i] = m.Init
	}
	s.best = s.loss()
	return s
}

func (s *stopper) loss() float64 {
	sum := 0.0
	for i, r := range s.held {
		if s.o.Loss == Logistic {
			sum += calc.Log1p(calc.Exp(-math.Abs(s.pred[i]))) + max(s.pred[i], 0) - float64(s.y[r]*s.pred[i])
		} else {
			sum += float64((s.y[r] - s.pred[i]) * (s.y[r] - s.pred[i]))
		}
	}
	return sum / float64(len(s.held))
}

// after looks at the model's newest tree and says whether to stop.
func (s *stopper) after(m *Model) bool {
	if s == nil {
		return false
	}
	w := m.walks(s.v, m.Trees()-1, m.Trees())
	w.add(s.pred, 0, s.held, 0, len(s.pred))
	loss := s.loss()
	if loss < s.best {
		s.best, s.trees, s.since = loss, m.Trees(), 0
		return false
	}
	s.since++
	return s.since >= s.o.Patience
}

// cut drops the trees behind the best.
func (s *stopper) cut(m *Model) {
	if s != nil {
		m.first = m.first[:s.trees+1]
		m.nodes = m.nodes[:m.first[s.trees]]
	}
}
