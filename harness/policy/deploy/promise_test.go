package deploy

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
)

// world draws n records of k classes: the surer the student, the seldomer it
// errs, and the master errs on one record in ten.
func world(rng *rand.Rand, n, k int) policy.Records {
	r := policy.Records{Classes: k}
	for range n {
		class, beta := rng.IntN(k), rng.Float64()
		student, master := 0.0, 0.0
		if rng.Float64() < (1-beta)*(0.4+0.5*float64(class)/float64(k)) {
			student = 1
		}
		if rng.Float64() < 0.1 {
			master = 1
		}
		r.Class, r.Beta = append(r.Class, class), append(r.Beta, beta)
		r.Student, r.Master = append(r.Student, student), append(r.Master, master)
	}
	return r
}

var someAbout = About{
	Policy: "multi", Confidence: Confidence{Score: "exp"}, Calibration: Calibration{Method: "none"},
}

func reread(t *testing.T, d File) File {
	t.Helper()
	text, err := Encode(map[string]File{"p": d})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if diff := cmp.Diff(d, got["p"]); diff != "" {
		t.Errorf("read back (−want +got):\n%s", diff)
	}
	return got["p"]
}

// A mixture read from its file decides as the mixture does.
func TestMixtureDeploys(t *testing.T) {
	r := world(rand.New(rand.NewPCG(21, 21)), 3000, 3)
	f, err := policy.FrontierMulti(r, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	target, err := policy.ParseTarget("0.83")
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Mix(target)
	if err != nil {
		t.Fatal(err)
	}
	classes := []string{"a", "b", "c"}
	d, err := NewMixture(m, classes, someAbout)
	if err != nil {
		t.Fatal(err)
	}
	d = reread(t, d)
	differ := 0
	for i, beta := range r.Beta {
		coin := float64(i%100) / 100
		rule := m.Lax
		if coin < m.Alpha {
			rule = m.Strict
		}
		want := rule.Accept(r.Class[i], beta)
		theta, known := d.Threshold(classes[r.Class[i]], coin)
		if (known && beta >= theta.Theta) != want {
			t.Fatalf("record %d with coin %v: want %t", i, coin, want)
		}
		if strict, _ := d.Threshold(classes[r.Class[i]], 0); (beta >= strict.Theta) != want {
			differ++
		}
	}
	if differ == 0 {
		t.Error("the coin decides nothing: the test cannot tell the two sets of thresholds apart")
	}
}

func TestGuaranteedDeploys(t *testing.T) {
	r := world(rand.New(rand.NewPCG(22, 22)), 4000, 3)
	var halves guarantee.Halves
	for i := range 4000 {
		if i%2 == 0 {
			halves.Propose = append(halves.Propose, i)
		} else {
			halves.Test = append(halves.Test, i)
		}
	}
	for _, target := range []policy.Target{policy.Master, policy.Best, policy.Student} {
		g, err := guarantee.FitMulti(r, halves, policy.Options{Target: target}, guarantee.Terms{Margin: .05})
		if err != nil {
			t.Fatal(err)
		}
		d, err := New(g.Policy, &g.Promise, []string{"a", "b", "c"}, someAbout)
		if err != nil {
			t.Fatal(err)
		}
		d = reread(t, d)
		if d.Guarantee == nil || d.Guarantee.Delta != guarantee.DefaultDelta || d.Guarantee.Level != .05 ||
			!d.Guarantee.Certified {
			t.Errorf("guarantee %+v", d.Guarantee)
		}
	}
}

func TestDecodePromiseRefuses(t *testing.T) {
	r := world(rand.New(rand.NewPCG(22, 22)), 400, 2)
	f, err := policy.FrontierMulti(r, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Mix(policy.Master)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewMixture(m, []string{"a", "b"}, someAbout)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, want string
		spoil      func(*File)
	}{
		{"alpha", "mixture with alpha", func(d *File) { d.Mixture.Alpha = 1.5 }},
		{"lax threshold", "mixture: lax", func(d *File) { d.Mixture.Lax[0].Theta = -1 }},
		{"no lax thresholds", "mixture: lax", func(d *File) { d.Mixture.Lax = nil }},
		{"method", "guarantee method", func(d *File) { d.Guarantee.Method = "hope" }},
		{"level", "level", func(d *File) { d.Guarantee.Level = 2 }},
		{"reference", "against", func(d *File) { d.Guarantee.Reference = "oracle" }},
		{"records", "records", func(d *File) { d.Guarantee.Tested = 0 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bad := d
			mixture := *d.Mixture
			mixture.Lax = append([]ClassThreshold(nil), mixture.Lax...)
			bad.Mixture = &mixture
			bad.Guarantee = &guarantee.Promise{Method: "ltt", Level: .1, Delta: .05, Proposed: 1, Tested: 1}
			if err := bad.Validate(); err != nil {
				t.Fatal(err)
			}
			tc.spoil(&bad)
			if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}
