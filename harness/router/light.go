package router

import (
	"context"
	"fmt"
	"math"

	"infnet/harness/calc"
	"infnet/harness/curve"
)

// NewLight returns the learner that needs nothing but the texts: hashed n-grams
// and logistic regression with a squared penalty. 15 % of the records are held
// out; on the rest the problem is solved for one penalty after another, from
// strong to weak, each from the solution before, until the loss on the held-out
// records has not fallen twice in a row: early stopping along the path of
// penalties. The best solution is kept, and calibrated on the held-out records
// (Platt).
func NewLight() Learner {
	key := fmt.Sprintf("light %d: %d columns, grams %d-%d, penalties %g…%g, patience %d, held out %g",
		lightCode, columns, shortestGram, longestGram, strongest, strongest/calc.Pow(weaker, penalties-1), lightPatience,
		HeldOut)
	return Learner{Name: "hashed n-grams", Key: key, counts: true, Learn: light}
}

// lightCode is the version of the computation: raise it when the same task leads
// to different scores.
const lightCode = 2

const (
	strongest     = 64.0
	weaker        = 4.0 // each penalty over the next
	penalties     = 8
	lightPatience = 2
	lightAccuracy = 1e-2 // of each solution's gradient, relative to that of zero weights
)

func light(ctx context.Context, t Task, apply []Sample) (out Learned, err error) {
	if out.Report, err = t.report(); err != nil {
		return out, err
	}
	train, held := t.HoldOut(HeldOut)
	records := make([][]count, len(t.Samples))
	for i, s := range t.Samples {
		if i%256 == 0 && ctx.Err() != nil {
			return out, ctx.Err()
		}
		records[i] = counts(s, t.Answered)
	}
	m := &linear{words: learn(pickOf(records, train))}
	x, y := m.matrix(records, train), pickOf(t.Labels, train)
	other, labels := m.matrix(records, held), pickOf(t.Labels, held)
	if err := m.fit(ctx, t, x, y, other, labels, &out.Report); err != nil {
		return out, err
	}
	z := make([]float64, len(held))
	for i := range z {
		z[i] = m.odds(other, i)
	}
	by, err := out.Report.held(z, labels)
	if err != nil {
		return out, err
	}
	out.Report.Digest = digestOf([]any{m.weights, m.words.rarity, []float64{by.A, by.B}, m.words.place})
	odds, row := make([]float64, len(apply)), newRows(len(m.words.rarity))
	for i, s := range apply {
		if i%256 == 0 && ctx.Err() != nil {
			return out, ctx.Err()
		}
		row.place, row.value, row.start = row.place[:0], row.value[:0], row.start[:1]
		row.add(m.words.row(counts(s, t.Answered)))
		odds[i] = m.odds(row, 0)
	}
	out.scored(odds, by)
	features := 0
	for _, r := range records {
		features += m.words.features(r)
	}
	// of each feature one multiply–add, and a weight of two multiplications and a division
	out.FLOPs = 5 * float64(features) / float64(len(records))
	return out, nil
}

// linear is a fitted logistic regression on n-grams.
type linear struct {
	words   *vocabulary
	weights []float64 // of the kept columns, the intercept behind them
}

func (m *linear) matrix(records [][]count, at []int) *rows {
	x := newRows(len(m.words.rarity))
	for _, i := range at {
		x.add(m.words.row(records[i]))
	}
	return x
}

// fit walks the path of penalties. Without held-out records it stops at the
// penalty 1, scikit-learn's default.
func (m *linear) fit(ctx context.Context, t Task, x *rows, y []float64, other *rows, labels []float64,
	report *Report) error {
	problem := &logistic{x: x, y: y, z: make([]float64, len(y))}
	v := make([]float64, x.width+1)
	from := problem.start(v)
	m.weights = append([]float64(nil), v...)
	best, since := m.heldLoss(v, other, labels), 0
	for k := range penalties {
		if err := ctx.Err(); err != nil {
			return err
		}
		problem.penalty = strongest / calc.Pow(weaker, float64(k))
		problem.solve(v, from, lightAccuracy)
		if t.Progress != nil {
			t.Progress(k+1, penalties)
		}
		loss := m.heldLoss(v, other, labels)
		if len(labels) == 0 {
			copy(m.weights, v)
			report.Epochs = problem.passes
			if problem.penalty <= 1 {
				break
			}
			continue
		}
		if loss < best {
			best, since = loss, 0
			copy(m.weights, v)
			report.Epochs = problem.passes
		} else if since++; since >= lightPatience {
			break
		}
	}
	report.Passes = problem.passes
	if t.Progress != nil {
		t.Progress(penalties, penalties)
	}
	return nil
}

// start sets the intercept to the log-odds of the labels, where the rest is
// zero, and returns the length of the gradient there.
func (l *logistic) start(v []float64) float64 {
	ones := 0.0
	for _, y := range l.y {
		ones += y
	}
	n := float64(len(l.y))
	v[l.x.width] = calc.Log(ones / (n - ones))
	l.loss(v)
	g := make([]float64, len(v))
	l.gradient(v, g, make([]float64, len(l.y)))
	return max(norm(g), math.SmallestNonzeroFloat64)
}

func (m *linear) heldLoss(v []float64, x *rows, labels []float64) float64 {
	sum := 0.0
	for i, y := range labels {
		sum += curve.LogLoss(x.dot(i, v)+v[x.width], y)
	}
	return sum
}

func (m *linear) odds(x *rows, i int) float64 { return x.dot(i, m.weights) + m.weights[x.width] }
