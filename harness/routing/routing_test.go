package routing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/harness/fault"
	"infnet/harness/policy"
	"infnet/harness/policy/deploy"
	"infnet/harness/policy/guarantee"
)

// thresholds writes a file: red 0.7, blue 0.95.
func thresholds(t *testing.T, change func(*deploy.File)) string {
	t.Helper()
	r := policy.Records{
		Classes: 2, Class: []int{0, 0, 1, 1}, Beta: []float64{0.7, 0.6, 0.95, 0.5},
		Student: []float64{0, 1, 0, 1}, Master: []float64{0, 0, 0, 0},
	}
	p, err := policy.FitMulti(r, policy.Options{Target: policy.Master})
	if err != nil {
		t.Fatal(err)
	}
	d, err := deploy.New(p, nil, []string{"red", "blue"}, deploy.About{
		Confidence: deploy.Confidence{Score: "given"}, Calibration: deploy.Calibration{Method: "none"},
	})
	if err != nil {
		t.Fatal(err)
	}
	change(&d)
	text, err := deploy.Encode(map[string]deploy.File{"p": d})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "thresholds.toml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Objects and tables decide alike: at the threshold is accepted, below it and of an unknown class is deferred. A class
// without a threshold is warned of once.
func TestRoute(t *testing.T) {
	path := thresholds(t, func(*deploy.File) {})
	want := []string{`"a" accept`, `"b" defer`, `"c" defer`, `"d" defer`}
	for _, tt := range []struct{ name, answers string }{
		{name: "objects", answers: "\n" + `{"id":"a","beta":0.7,"label":"red"}` + "\n" +
			`{"id":"b","beta":0.69,"label":"red"}` + "\n\n" +
			`{"id":"c","beta":1,"label":"green"}` + "\n" + `{"id":"d","beta":1,"label":"green"}` + "\n"},
		{name: "a table", answers: "id,beta,label\na,0.7,red\nb,0.69,red\nc,1,green\nd,1,green\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got, warned []string
			r, err := Open(path, Options{},
				func(d Decision) error { got = append(got, string(d.ID)+" "+d.Decision); return nil },
				func(text string) { warned = append(warned, text) })
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Stream(context.Background(), strings.NewReader(tt.answers)); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("decisions %q, want %q", got, want)
			}
			if len(warned) != 1 || !strings.Contains(warned[0], `"green"`) {
				t.Errorf("warnings %q, want one of the class green", warned)
			}
		})
	}
}

// Below the lower threshold nobody answers; at it the master is asked.
func TestAbstains(t *testing.T) {
	path := thresholds(t, func(d *deploy.File) { d.Thresholds[0].Abstain = 0.4 })
	var got []string
	r, err := Open(path, Options{}, func(d Decision) error {
		got = append(got, fmt.Sprint(d.Decision, " ", d.Threshold))
		return nil
	}, func(string) {})
	if err == nil {
		err = r.Stream(context.Background(), strings.NewReader("confidence,class\n0.39,red\n0.4,red\n0.7,red\n0,blue\n"))
	}
	if want := []string{"abstain 0.4", "defer 0.7", "accept 0.7", "defer 0.95"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// What cannot be applied is refused before an answer is read, and what is no answer by its line.
func TestRefuses(t *testing.T) {
	uncertified := &guarantee.Promise{Method: "ltt", Level: .1, Delta: .05, Proposed: 2, Tested: 2}
	for _, tt := range []struct {
		name    string
		change  func(*deploy.File)
		options Options
		answers string
		kind    fault.Kind
		want    string // "" = accepted
	}{
		{name: "not certified", change: func(d *deploy.File) { d.Guarantee = uncertified }, kind: fault.Data,
			want: "not certified"},
		{name: "not certified, and taken all the same", change: func(d *deploy.File) { d.Guarantee = uncertified },
			options: Options{Uncertified: true}},
		{name: "temperature", change: func(d *deploy.File) { d.Calibration.Method = "temperature" }, kind: fault.Usage,
			want: "needs the probabilities of all labels"},
		{name: "temperature, calibrated already", change: func(d *deploy.File) { d.Calibration.Method = "temperature" },
			options: Options{Calibrated: true}},
		{name: "no number", answers: `{"confidence":"high","class":"red"}`, kind: fault.Data,
			want: `line 1: confidence "high"`},
		{name: "two objects on a line", answers: `{"confidence":1,"class":"red"} {}`, kind: fault.Data,
			want: "standard input:1: row 1: is not JSON of one object"},
		{name: "neither", answers: "\nhello\n", kind: fault.Data, want: `line 2: "hello" is neither`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.change == nil {
				tt.change = func(*deploy.File) {}
			}
			r, err := Open(thresholds(t, tt.change), tt.options, func(Decision) error { return nil }, func(string) {})
			if err == nil {
				err = r.Stream(context.Background(), strings.NewReader(tt.answers))
			}
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var kind *fault.Error
			if !errors.As(err, &kind) || kind.Kind != tt.kind || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q of kind %s", err, tt.want, tt.kind)
			}
		})
	}
}
