package sufficiency

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRunFindsWhatIsThere(t *testing.T) {
	o := quick(39)
	o.Threads = 2
	res, err := Run(t.Context(), drawn(400, 3, .6, 1), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Rows) != 2 || res.Rows[0].Null != Beta || res.Rows[1].Null != BetaAndClass {
		t.Fatalf("rows: %+v", res.Rows)
	}
	for _, r := range res.Rows {
		if !r.Finding || r.P != 1./40 || r.Gain.Low <= 0 || r.R2.Value <= 0 || !finite(r) {
			t.Errorf("null %s: p = %g, ΔMSE %v, R² %v; J tells a lot", r.Null, r.P, r.Gain, r.R2)
		}
		if math.Abs(r.Gain.Value-r.Permutation.Test.Observed) > 1e-12 ||
			math.Abs(r.MSENull.Pooled-r.MSEFull.Pooled-r.Gain.Value) > 1e-12 {
			t.Errorf("ΔMSE %g, T %g, MSEs %g and %g do not agree", r.Gain.Value, r.Permutation.Test.Observed, r.MSENull.Pooled,
				r.MSEFull.Pooled)
		}
		if r.Holm < r.P || r.BH < r.P {
			t.Error("adjusted p-values below p")
		}
		if r.Value == nil || r.Value.Saved.Value <= 0 {
			t.Errorf("null %s: J saves nothing: %+v", r.Null, r.Value)
		}
	}
}

func TestRunIsTheSameOnAnyThreads(t *testing.T) {
	in := drawn(150, 4, .3, 2)
	in.Groups = make([]string, 150)
	for i := range in.Groups {
		if i%3 > 0 {
			in.Groups[i] = string(rune('a' + i/6))
		}
	}
	for _, method := range []Method{PCM, Plain} {
		sameOnAnyThreads(t, in, method)
	}
}

func sameOnAnyThreads(t *testing.T, in Input, method Method) {
	t.Helper()
	var want string
	for _, threads := range []int{1, 2, 5} {
		o := quick(9)
		o.Method = method
		o.Alpha = .2
		o.Threads = threads
		res, err := Run(t.Context(), in, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(got)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%d threads: %s", threads, diff)
		}
	}
}

func TestRowsThatAreNotTested(t *testing.T) {
	in := drawn(120, 1, 0, 3)
	n := len(in.Beta)
	in.Sets = []Set{
		{Name: "of β", Columns: []Covariate{
			column("entropy", func(i int) float64 { b := in.Beta[i]; return -b*math.Log(b) - (1-b)*math.Log(1-b) }, n),
			column("square", func(i int) float64 { return in.Beta[i] * in.Beta[i] }, n),
			column("declared", func(i int) float64 { return math.Sin(40 * in.Beta[i]) }, n),
			column("constant", func(int) float64 { return 3 }, n)}},
		{Name: "of β and class", Columns: []Covariate{column("x",
			func(i int) float64 { return in.Beta[i]*float64(in.Class[i]) - 1 }, n)}},
	}
	in.Sets[0].Columns[0].Of = OfBeta
	in.Sets[0].Columns[2].Of = OfBeta
	res, err := Run(t.Context(), in, quick(3), nil)
	if err != nil {
		t.Fatal(err)
	}
	var states []State
	for _, r := range res.Rows {
		states = append(states, r.State)
		if !finite(r) {
			t.Errorf("%s, %s: not finite", r.Set, r.Null)
		}
	}
	if diff := cmp.Diff([]State{Determined, Determined, Tested, Determined}, states); diff != "" {
		t.Error(diff)
	}

	in = drawn(60, 2, 0, 4)
	clear(in.StudentErr)
	clear(in.MasterErr)
	if res, err = Run(t.Context(), in, quick(19), nil); err != nil {
		t.Fatal(err)
	}
	if r := res.Rows[0]; r.State != Degenerate || r.Facts.Delta == nil || *r.Facts.Delta != 0 || !finite(r) {
		t.Errorf("constant Δ: %+v", r)
	}
	in = drawn(60, 2, 0, 4)
	for i := range in.Beta {
		in.Beta[i] = .5
	}
	if res, err = Run(t.Context(), in, quick(19), nil); err != nil {
		t.Fatal(err)
	}
	if r := res.Rows[0]; r.State != Tested || !r.Facts.FlatBeta || !finite(r) {
		t.Errorf("constant β: %+v", r)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		bad  func(*Input, *Options)
		want string
	}{
		{"no records", func(in *Input, _ *Options) { *in = Input{} }, "no records"},
		{"no sets", func(in *Input, _ *Options) { in.Sets = nil }, "no set"},
		{"no columns", func(in *Input, _ *Options) { in.Sets[0].Columns = nil }, "no columns"},
		{"NaN in J", func(in *Input, _ *Options) { in.Sets[0].Columns[1].Values[7] = math.NaN() }, "record 7"},
		{"too large for 32 bits", func(in *Input, _ *Options) { in.Sets[0].Columns[1].Values[7] = 1e39 }, "record 7"},
		{"NaN in β", func(in *Input, _ *Options) { in.Beta[3] = math.NaN() }, "β of record 3"},
		{"an error above 1", func(in *Input, _ *Options) { in.StudentErr[3] = 2 }, "record 3"},
		{"fewer records than folds", func(in *Input, o *Options) { o.Folds = 100 }, "fold"},
		{"one fold", func(in *Input, o *Options) { o.Folds = 1 }, "folds"},
		{"lengths", func(in *Input, o *Options) { in.MasterErr = in.MasterErr[1:] }, "of master error"},
		{"classes missing", func(in *Input, o *Options) { in.Class = nil; o.Nulls = []Null{BetaAndClass} }, "classes"},
		{"two sets of one name", func(in *Input, _ *Options) { in.Sets = append(in.Sets, in.Sets[0]) }, "two sets"},
	} {
		in, o := drawn(40, 2, 0, 5), quick(3)
		tt.bad(&in, &o)
		if _, err := Run(t.Context(), in, o, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v; want one about %q", tt.name, err, tt.want)
		}
	}
}

func TestProgress(t *testing.T) {
	in := drawn(80, 2, 0, 6)
	o := quick(99)
	o.Nulls = []Null{Beta}
	var reported []int
	_, err := Run(t.Context(), in, o, func(set string, null Null, done, total int) {
		if set != "J" || null != Beta || total != 99 {
			t.Errorf("%s %s of %d", set, null, total)
		}
		reported = append(reported, done)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(reported); n != 100 || !slices.IsSorted(reported) || reported[0] != 1 || reported[n-2] != 99 {
		t.Errorf("reported %v", reported) // one by one, and the end
	}
}

func TestPlain(t *testing.T) {
	in := drawn(200, 2, .6, 8)
	o := quick(19)
	o.Method, o.Nulls = Plain, []Null{Beta}
	res, err := Run(t.Context(), in, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := res.Rows[0]; r.P != .05 {
		t.Errorf("p = %g", r.P)
	}
}

func TestCancel(t *testing.T) {
	boom := errors.New("enough")
	o := quick(1000)
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := Run(ctx, drawn(80, 2, 0, 6), o, func(_ string, _ Null, done, _ int) {
		if done == 3 {
			cancel(boom)
		}
	})
	if err == nil {
		t.Fatal("a cancelled run ends without an error")
	}
}
