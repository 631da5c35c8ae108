package deploy

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/curve"
	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
)

var update = flag.Bool("update", false, "rewrite golden files")

// exampleFile has everything a file can hold: an infinite threshold, a
// class name that needs escaping, parameters, curves and a warning.
func exampleFile(t testing.TB) File {
	t.Helper()
	r := policy.Records{
		Classes: 3,
		Class:   []int{0, 0, 0, 1, 1, 1},
		Beta:    []float64{0.1, 0.7, 0.9, 1.0 / 3, 0.8, 0.95},
		Student: []float64{1, 0, 0, 1, 1, 0},
		Master:  []float64{0, 0, 0, 0, 0, 0},
	}
	p, err := policy.FitMulti(r, policy.Options{Target: policy.Master})
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(p, nil, []string{"negative", `"posi\tive"` + "\n", "neutral"}, About{
		Study: "quickstart", Dataset: "reviews", Policy: "multi",
		Student:    Model{"tiny-student", "tiny-student", "0123abcd"},
		Master:     Model{"tiny-master", "tiny-master", "4567ef01"},
		Confidence: Confidence{Score: "minmax", Parameters: map[string]float64{"low": -3.25, "high": -0.1}},
		Calibration: Calibration{Method: "isotonic", Curves: []curve.Monotone{
			{X: []float64{0, 0.1, 1}, Y: []float64{0.2, 1.0 / 3, 1}},
		}},
		Provenance: Provenance{Infnet: "devel", Spec: "aa", Answers: "bb", Split: "cc"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRoundTrip(t *testing.T) {
	want := exampleFile(t)
	text, err := Encode(map[string]File{"reviews/multi": want, "Other.Set/single": want})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if diff := cmp.Diff(map[string]File{"reviews/multi": want, "Other.Set/single": want}, got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	golden := filepath.Join("testdata", "deployment.toml")
	if *update {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(file), string(text)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

func TestThresholdOfAClass(t *testing.T) {
	d := exampleFile(t)
	for _, tc := range []struct {
		name, class string
		beta        float64
		want        bool
	}{
		{name: "at the threshold", class: "negative", beta: 0.7, want: true},
		{name: "below it", class: "negative", beta: math.Nextafter(0.7, 0), want: false},
		{name: "never predicted", class: "neutral", beta: 1, want: false},
		{name: "unknown class", class: "other", beta: 1, want: false},
		{name: "not a number", class: "negative", beta: math.NaN(), want: false},
	} {
		theta, known := d.Threshold(tc.class, 0)
		if got := known && tc.beta >= theta.Theta; got != tc.want {
			t.Errorf("%s: β %v of class %q accepted: %t (threshold %v, known %t)", tc.name, tc.beta, tc.class, got, theta, known)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	text, err := Encode(map[string]File{"p": exampleFile(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, old, new, want string }{
		{name: "unknown key", old: "study =", new: "sturdy =", want: "sturdy"},
		{name: "upper case", old: "study =", new: "Study =", want: "Study"},
		{name: "unknown nested key", old: "lower_bound =", new: "lowerbound =", want: "lowerbound"},
		{name: "another version", old: "version = 2", new: "version = 1", want: "version 1"},
		{name: "another format", old: "infnet thresholds", new: "something else", want: "something else"},
		{name: "negative threshold", old: "theta = 0.7", new: "theta = -0.7", want: "threshold 0"},
		{name: "NaN threshold", old: "theta = 0.7", new: "theta = nan", want: "threshold 0"},
		{name: "no threshold", old: "theta = 0.7", new: "", want: "thresholds.theta"},
		{name: "no class", old: "class = \"neutral\"", new: "", want: "no class"},
		{name: "class twice", old: `"neutral"`, new: `"negative"`, want: "two thresholds"},
		{name: "no score", old: `score = "minmax"`, new: "", want: "confidence.score"},
		{name: "parameter inf", old: "low = -3.25", new: "low = -inf", want: "low"},
		{name: "several parameters inf, and the first by name is named", old: "low = -3.25",
			new: "low = -inf\nc = inf\nb = inf\na = inf", want: `parameter "a"`},
		{name: "curve falls back", old: "x = [0.0, 0.1, 1.0]", new: "x = [0.0, 0.0, 1.0]", want: "curve 0"},
		{name: "certificate", old: "gap = 0", new: "gap = 1", want: "certificate"},
		{name: "target", old: `target = "master"`, new: `target = "most"`, want: "most"},
		{name: "not TOML", old: "version = 2", new: "version == 2", want: "line"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !strings.Contains(string(text), tc.old) {
				t.Fatalf("the file has no %q:\n%s", tc.old, text)
			}
			_, err := Decode([]byte(strings.Replace(string(text), tc.old, tc.new, 1)))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one that names %q", err, tc.want)
			}
		})
	}
}

// Whatever is read can be written and read back.
func FuzzDecode(f *testing.F) {
	text, err := Encode(map[string]File{"p": exampleFile(f)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	d := exampleFile(f)
	d.Guarantee = &guarantee.Promise{Method: "ltt", Certified: true, Reference: "master", Level: .01, Delta: .05,
		Proposed: 3, Tested: 3}
	d.Mixture = &Mixture{Alpha: .25, Deferred: 2.5,
		Lax: []ClassThreshold{{Class: "negative"}, {Class: "neutral", Theta: math.Inf(1)}}}
	if text, err = Encode(map[string]File{"p": d}); err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("format = \"infnet thresholds\"\nversion = 1\n[[thresholds]]\ntheta = inf\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Decode(text)
		if err != nil {
			return
		}
		again, err := Encode(d)
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		e, err := Decode(again)
		if err != nil {
			t.Fatalf("written but not read: %v\n%s", err, again)
		}
		third, err := Encode(e)
		if err != nil || string(third) != string(again) {
			t.Fatalf("not stable (%v):\n%s\n%s", err, again, third)
		}
	})
}
