package curve

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

var near = cmpopts.EquateApprox(0, 1e-12)

// Expected values: sklearn.isotonic.IsotonicRegression(out_of_bounds="clip"),
// scikit-learn 1.9.1, X_thresholds_, y_thresholds_ and predict.
func TestIsotonicEqualsScikitLearn(t *testing.T) {
	x := []float64{0.1, 0.2, 0.2, 0.4, 0.5, 0.6, 0.6, 0.8, 0.9, 1.0}
	y := []float64{0, 1, 0, 0, 1, 1, 0, 1, 0, 1}
	at := []float64{0, 0.15, 0.3, 0.45, 0.6, 0.7, 0.85, 0.95, 1}
	want := Monotone{X: []float64{0.1, 0.2, 0.4, 0.5, 0.9, 1}, Y: []float64{0, 1. / 3, 1. / 3, 0.6, 0.6, 1}}
	predict := []float64{0, 1. / 6, 1. / 3, 0.4666666666666667, 0.6, 0.6, 0.6, 0.8, 1}
	got, err := Isotonic(x, y)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("knots (-want +got):\n%s", diff)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	for i, q := range at {
		if v := got.At(q); math.Abs(v-predict[i]) > 1e-12 {
			t.Errorf("at %v: %v, want %v", q, v, predict[i])
		}
	}
}

func TestIsotonicRefuses(t *testing.T) {
	for _, tc := range []struct {
		name string
		x, y []float64
		want string
	}{
		{name: "nothing", want: "at least one"},
		{name: "lengths", x: []float64{1, 2}, y: []float64{1}, want: "as many"},
		{name: "NaN", x: []float64{1, math.NaN()}, y: []float64{1, 1}, want: "point 1"},
		{name: "infinite", x: []float64{1}, y: []float64{math.Inf(1)}, want: "point 0"},
	} {
		if _, err := Isotonic(tc.x, tc.y); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want an error with %q", tc.name, err, tc.want)
		}
	}
	for _, m := range []Monotone{
		{}, {X: []float64{0, 0}, Y: []float64{0, 1}}, {X: []float64{0, 1, 2}, Y: []float64{0, 1, 0}},
		{X: []float64{0}, Y: []float64{math.NaN()}}, {X: []float64{0, 1}, Y: []float64{0}},
	} {
		if m.Validate() == nil {
			t.Errorf("%v passes for a monotone curve", m)
		}
	}
	if v := (Monotone{X: []float64{0}, Y: []float64{1}}).At(math.NaN()); !math.IsNaN(v) {
		t.Errorf("a curve at NaN is %v", v)
	}
}

// Expected values: sklearn.linear_model.LogisticRegression(C=2,
// solver="newton-cholesky", tol=1e-14), scikit-learn 1.9.1: C = 1/ridge.
func TestLogisticEqualsScikitLearn(t *testing.T) {
	rows := [][]float64{{0, 1}, {1, 0}, {2, 1}, {3, 5}, {4, 2}, {5, 1}, {6, 7}}
	y := []float64{0, 0, 1, 0, 1, 1, 1}
	got, err := Logistic(rows, y, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{-2.2016552556440248, 1.413900167359782, -0.5691833729921727}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("coefficients (-want +got):\n%s", diff)
	}
}

func TestLogisticEdges(t *testing.T) {
	separable := [][]float64{{0}, {1}, {2}, {3}}
	if _, err := Logistic(separable, []float64{0, 0, 1, 1}, 0); err == nil || !strings.Contains(err.Error(), "ridge") {
		t.Errorf("separable targets without a ridge: %v", err)
	}
	if c, err := Logistic(separable, []float64{0, 0, 1, 1}, 1e-6); err != nil || !(c[1] > 0) || math.IsInf(c[1], 0) {
		t.Errorf("separable targets with a ridge: %v, %v", c, err)
	}
	if c, err := Logistic([][]float64{{}, {}, {}, {}}, []float64{1, 0, 0, 0}, 0); err != nil ||
		math.Abs(Sigmoid(c[0])-0.25) > 1e-12 {
		t.Errorf("intercept alone: %v, %v, want the log-odds of 1/4", c, err)
	}
	for _, tc := range []struct {
		rows [][]float64
		y    []float64
	}{{nil, nil}, {[][]float64{{1}}, nil}, {[][]float64{{1}, {1, 2}}, []float64{0, 1}}, {[][]float64{{math.NaN()}},
		[]float64{0}}, {[][]float64{{1}}, []float64{2}}} {
		if _, err := Logistic(tc.rows, tc.y, 1); err == nil {
			t.Errorf("rows %v, targets %v: no error", tc.rows, tc.y)
		}
	}
	for _, z := range []float64{-1000, -1, 0, 1, 1000} {
		if s := Sigmoid(z); !(s >= 0 && s <= 1) || math.Abs(s+Sigmoid(-z)-1) > 1e-15 {
			t.Errorf("Sigmoid(%v) = %v", z, s)
		}
	}
}
