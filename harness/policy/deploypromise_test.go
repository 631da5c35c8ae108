package policy

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var someAbout = About{
	Policy: "multi", Confidence: DeployedConfidence{Score: "exp"}, Calibration: DeployedCalibration{Method: "none"},
}

func reread(t *testing.T, d Deployment) Deployment {
	t.Helper()
	text, err := EncodeDeployment(d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeDeployment(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if diff := cmp.Diff(d, got); diff != "" {
		t.Errorf("read back (−want +got):\n%s", diff)
	}
	return got
}

// A mixture read from its file decides as the mixture does.
func TestMixtureDeploys(t *testing.T) {
	r := world(rand.New(rand.NewPCG(21, 21)), 3000, 3, false)
	f, err := FrontierMulti(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	target, err := ParseTarget("0.83")
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Mix(target)
	if err != nil {
		t.Fatal(err)
	}
	classes := []string{"a", "b", "c"}
	d, err := m.Deploy(classes, someAbout)
	if err != nil {
		t.Fatal(err)
	}
	d = reread(t, d)
	differ := 0
	for i, beta := range r.Beta {
		coin := float64(i%100) / 100
		want := m.Accept(r.Class[i], beta, coin)
		if d.AcceptWith(classes[r.Class[i]], beta, coin) != want {
			t.Fatalf("record %d with coin %v: want %t", i, coin, want)
		}
		if d.Accept(classes[r.Class[i]], beta) != want {
			differ++
		}
	}
	if differ == 0 {
		t.Error("the coin decides nothing: the test cannot tell the two sets of thresholds apart")
	}
}

func TestGuaranteedDeploys(t *testing.T) {
	r := world(rand.New(rand.NewPCG(22, 22)), 4000, 3, false)
	for _, target := range []Target{Master, Best, Student} {
		g, err := CertifyMulti(r, halves(4000), Options{Target: target}, Guarantee{Margin: .05})
		if err != nil {
			t.Fatal(err)
		}
		d, err := g.Deploy([]string{"a", "b", "c"}, someAbout)
		if err != nil {
			t.Fatal(err)
		}
		d = reread(t, d)
		if d.Guarantee == nil || d.Guarantee.Delta != DefaultDelta || d.Guarantee.Level != .05 || !d.Guarantee.Certified {
			t.Errorf("guarantee %+v", d.Guarantee)
		}
	}
}

func TestDecodePromiseRefuses(t *testing.T) {
	r := world(rand.New(rand.NewPCG(22, 22)), 400, 2, false)
	f, err := FrontierMulti(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Mix(Master)
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.Deploy([]string{"a", "b"}, someAbout)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, want string
		spoil      func(*Deployment)
	}{
		{"alpha", "mixture with alpha", func(d *Deployment) { d.Mixture.Alpha = 1.5 }},
		{"lax threshold", "mixture: lax", func(d *Deployment) { d.Mixture.Lax[0].Theta = -1 }},
		{"no lax thresholds", "mixture: lax", func(d *Deployment) { d.Mixture.Lax = nil }},
		{"method", "guarantee method", func(d *Deployment) { d.Guarantee.Method = "hope" }},
		{"level", "level", func(d *Deployment) { d.Guarantee.Level = 2 }},
		{"reference", "against", func(d *Deployment) { d.Guarantee.Reference = "oracle" }},
		{"records", "records", func(d *Deployment) { d.Guarantee.Tested = 0 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bad := d
			mixture := *d.Mixture
			mixture.Lax = append([]ClassThreshold(nil), mixture.Lax...)
			bad.Mixture = &mixture
			bad.Guarantee = &DeployedGuarantee{Method: "ltt", Level: .1, Delta: .05, Proposed: 1, Tested: 1}
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
