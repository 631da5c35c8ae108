package router

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// reviews is a task with something to learn: the answer is right where it
// agrees with the adjective, and for a router where there is an easy word.
func reviews(n int, answered bool) Task {
	r := rand.New(rand.NewPCG(uint64(n), 9))
	nouns := []string{"bread", "film", "waiter", "plot", "chair", "garden", "train", "letter"}
	t := Task{Answered: answered, Classes: 2, Seed: 5, Name: "reviews", Threads: 1}
	for i := range n {
		good, says, easy := r.IntN(2), r.IntN(2), r.IntN(2)
		adjective := [][]string{{"dreadful", "horrid"}, {"lovely", "splendid"}}[good][r.IntN(2)]
		s := Sample{
			ID: fmt.Sprintf("r%04d", i),
			Query: fmt.Sprintf("The %s was %s, %s the %s.", nouns[r.IntN(8)], adjective,
				[]string{"notwithstanding", "and"}[easy], nouns[r.IntN(8)]),
			Class: -1,
		}
		label := easy
		if answered {
			label = 0
			if good == says {
				label = 1
			}
			s.Answer, s.Class, s.Beta = []string{"negative", "positive"}[says], says, r.Float64()
		}
		if r.IntN(20) == 0 {
			label = 1 - label // noise
		}
		t.Samples, t.Labels = append(t.Samples, s), append(t.Labels, float64(label))
	}
	return t
}

func shuffled(t Task, by uint64) Task {
	order := rand.New(rand.NewPCG(by, 1)).Perm(len(t.Samples))
	return t.only(order)
}

func TestLearnersLearn(t *testing.T) {
	for _, l := range []Learner{NewLight()} {
		for _, answered := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, answered %v", l.Name, answered), func(t *testing.T) {
				task := reviews(500, answered)
				got, err := l.Learn(t.Context(), task.only(span(0, 400)), task.Samples[400:])
				if err != nil {
					t.Fatal(err)
				}
				report, j := got.Report, Judge(got.Scores, task.Labels[400:])
				if *j.AUROC < 0.88 || j.Loss > 0.5 || j.Accuracy < 0.85 { // 5 % of the labels are noise
					t.Errorf("%v; %+v", j, report)
				}
				if report.Records != 400 || report.Held.Records != 60 || report.Epochs < 1 || report.Passes < report.Epochs ||
					len(report.Digest) != 64 || got.FLOPs <= 0 {
					t.Errorf("%+v", report)
				}
				one, err := l.Learn(t.Context(), task.only(span(0, 400)), task.Samples[450:451])
				if err != nil || one.Scores[0] != got.Scores[50] {
					t.Errorf("alone %v, in company %v (%v)", one.Scores, got.Scores[50], err)
				}
			})
		}
	}
}

func span(from, to int) []int {
	var out []int
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// The order of the records, and the threads, change no bit of what is learned.
func TestLearnersDoNotDependOnOrderOrThreads(t *testing.T) {
	for _, l := range []Learner{NewLight()} {
		task := reviews(120, true)
		want, err := l.Learn(t.Context(), task, task.Samples)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			other := shuffled(task, uint64(k))
			other.Threads = k + 1
			got, err := l.Learn(t.Context(), other, task.Samples)
			if err != nil || got.Report.Digest != want.Report.Digest || !slices.Equal(got.Scores, want.Scores) {
				t.Errorf("%s: %+v, in another order %+v, %v", l.Name, want.Report, got.Report, err)
			}
		}
		task.Seed++
		if other, err := l.Learn(t.Context(), task, nil); err != nil || other.Report.Digest == want.Report.Digest {
			t.Errorf("%s: another seed holds out others, and learns the same (%v)", l.Name, err)
		}
	}
}

func TestLearnersRefuse(t *testing.T) {
	one := reviews(40, true)
	for i := range one.Labels {
		one.Labels[i] = 1
	}
	half := reviews(40, true)
	half.Labels[3] = 0.5
	few := reviews(40, true)
	few.Labels = few.Labels[:39]
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, tt := range []struct {
		name, says string
		task       Task
		ctx        context.Context
	}{
		{"one label", "one label", one, t.Context()},
		{"half a label", "r0003", half, t.Context()},
		{"too few labels", "39 labels for 40", few, t.Context()},
		{"stopped", "canceled", reviews(40, true), stopped},
	} {
		for _, l := range []Learner{NewLight()} {
			if _, err := l.Learn(tt.ctx, tt.task, nil); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s, %s: %v", l.Name, tt.name, err)
			}
		}
	}
}

// A router must not look at answers: with others it learns and says the same.
func TestRoutersDoNotReadAnswers(t *testing.T) {
	for _, l := range []Learner{NewLight()} {
		task := reviews(120, false)
		want, err := l.Learn(t.Context(), task, nil)
		if err != nil {
			t.Fatal(err)
		}
		leaked := task.only(span(0, 120))
		for i := range leaked.Samples {
			leaked.Samples[i].Answer, leaked.Samples[i].Beta, leaked.Samples[i].Class = fmt.Sprint("label ",
				leaked.Labels[i]), leaked.Labels[i], int(leaked.Labels[i])
		}
		if got, err := l.Learn(t.Context(), leaked, nil); err != nil || got.Report.Digest != want.Report.Digest {
			t.Errorf("%s: a router's weights depend on answers (%v)", l.Name, err)
		}
	}
}

// The solution is scikit-learn's: testdata/sklearn_logistic.py.
func TestLogisticIsScikitLearns(t *testing.T) {
	var want struct {
		X    [][]float32
		Y    []float64
		Fits []struct {
			C         float64
			Weights   []float64
			Intercept float64
		}
		Z, Labels []float64
		A, B      float64
	}
	read(t, "sklearn_logistic", &want)
	x := newRows(len(want.X[0]))
	for _, row := range want.X {
		var place []int32
		var value []float32
		for j, v := range row {
			if v != 0 {
				place, value = append(place, int32(j)), append(value, v)
			}
		}
		x.add(place, value)
	}
	for _, fit := range want.Fits {
		l := &logistic{x: x, y: want.Y, penalty: 1 / fit.C, z: make([]float64, len(want.Y))}
		v := make([]float64, x.width+1)
		l.solve(v, l.start(v), 1e-11)
		for j, w := range append(fit.Weights, fit.Intercept) {
			if math.Abs(v[j]-w) > 1e-6 {
				t.Errorf("C = %v: coefficient %d is %v, scikit-learn's %v", fit.C, j, v[j], w)
			}
		}
	}
	p, note, err := calibrate(want.Z, want.Labels)
	// theirs stops at 1e-6 of the loss
	if err != nil || note != "" || math.Abs(p.A-want.A) > 1e-4 || math.Abs(p.B-want.B) > 1e-4 {
		t.Errorf("Platt: %v, %q, %v; scikit-learn has %v and %v", p, note, err, want.A, want.B)
	}
}

func TestCalibrateLeavesScoresAlone(t *testing.T) {
	z, falling, ones := make([]float64, 30), make([]float64, 30), make([]float64, 30)
	for i := range z {
		z[i], ones[i] = float64(i), 1
		if i < 12 || i == 20 {
			falling[i] = 1
		}
	}
	for _, tt := range []struct {
		says string
		z, y []float64
	}{{"5 records", z[:5], falling[:5]}, {"one label", z, ones}, {"larger score", z, falling}} {
		p, note, err := calibrate(tt.z, tt.y)
		if err != nil || p != uncalibrated || !strings.Contains(note, tt.says) {
			t.Errorf("%v, %q, %v: want a note of %s", p, note, err, tt.says)
		}
	}
}

// Scores of fits at different spreads come to one scale: that of all folds.
func TestAlign(t *testing.T) {
	sigmoid := func(z ...float64) []float64 {
		out := make([]float64, len(z))
		for i, v := range z {
			out[i] = 1 / (1 + math.Exp(-v))
		}
		return out
	}
	// By hand: means 1 and 4, deviations 1 and 3 inside: together 2.5 and √5.
	a, b := sigmoid(0, 2), sigmoid(1, 7)
	mean, spread := together([][]float64{a, b})
	if math.Abs(mean-2.5) > 1e-9 || math.Abs(spread-math.Sqrt(5)) > 1e-9 {
		t.Errorf("mean %v, spread %v", mean, spread)
	}
	last := sigmoid(100, -.1, .1) // a new record, and two that tell its scale: mean 0, deviation 0.1
	flat := sigmoid(3, 3)
	last[0] = sigmoid(.2)[0]
	align([][]float64{a, b, last, flat}, [][]float64{a, b, last[1:], flat}, mean, spread)
	want := [][]float64{{2.5 - math.Sqrt(5), 2.5 + math.Sqrt(5)}, {2.5 - math.Sqrt(5), 2.5 + math.Sqrt(5)},
		{2.5 + 2*math.Sqrt(5), 2.5 - math.Sqrt(5), 2.5 + math.Sqrt(5)}, {2.5, 2.5}}
	for k, list := range [][]float64{a, b, last, flat} {
		for i, p := range list {
			if math.Abs(logit(p)-want[k][i]) > 1e-6 {
				t.Errorf("list %d, place %d: log-odds %v, want %v", k, i, logit(p), want[k][i])
			}
		}
	}
}

// Any text has features, in ascending columns, and they are the same again.
func FuzzCounts(f *testing.F) {
	f.Add("The film\x00was — dreadful", "positive")
	f.Add("\xff\xfe", "")
	f.Fuzz(func(t *testing.T, query, answer string) {
		s := Sample{Query: query, Answer: answer}
		list := counts(s, true)
		if !slices.IsSortedFunc(list, func(a, b count) int { return int(a.column()) - int(b.column()) }) ||
			!slices.Equal(list, counts(s, true)) {
			t.Fatal("not sorted, or not the same again")
		}
		if _, values := learn([][]count{list, list}).row(list); slices.ContainsFunc(values,
			func(v float32) bool { return v != v }) {
			t.Fatal("a value is NaN")
		}
	})
}
