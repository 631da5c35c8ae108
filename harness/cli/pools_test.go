package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/result"
)

// Pools of nine real models, against numbers that a brute-force search in Python (numpy 2) found on the same files: the
// least cost + price · error of all single models, all thresholds of all 72 pairs and all pairs of thresholds of all 84
// chains in the order of cost, on the fit part; and of an oracle on the test part. The errors of the models are those
// that the data's authors print.
func TestPoolsOfRecordedModels(t *testing.T) {
	t.Parallel()
	data := os.Getenv("INFNET_DATA")
	if data == "" || testing.Short() {
		t.Skip("INFNET_DATA is not set, or -short")
	}
	right := []float64{37.2, 63.3, 78.7, 92.8, 94.9, 90.0, 70.2, 87.6, 96.2} // percent, in the order of the models
	prices := []float64{1e-4, 1e-3, 1e-2}
	least := []float64{5.224e-05, 0.000109292, 0.0004018366666666667} // at those prices
	oracle := []float64{3.90765e-05, 6.61906e-05, 0.0002011906}
	const says = "triviaqa: No cascade is shown to be worth it"
	text, err := os.ReadFile("../../experiments/public/triviaqa.toml")
	if err != nil {
		t.Fatal(err)
	}
	study, _, _ := strings.Cut(string(text), "[[cascades]]")
	_, pools, ok := strings.Cut(string(text), "[[pools]]")
	if !ok {
		t.Fatal("the study has no pool")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "study.toml"),
		study+"[[pools]]"+pools)
	var out, errOut bytes.Buffer
	if code := Run(context.Background(),
		[]string{"run", filepath.Join(dir, "study.toml"), "--store", filepath.Join(dir, "answers"),
			"--out", filepath.Join(dir, "out")}, nil, &out, &errOut); code != ExitOK {
		t.Fatal(errOut.String())
	}
	if !strings.Contains(out.String(), says) {
		t.Errorf("no %q in\n%s", says, out.String())
	}
	var found result.Results
	b, err := os.ReadFile(filepath.Join(dir, "out", "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &found); err != nil {
		t.Fatal(err)
	}
	d := &found.Pools[0].Datasets[0]
	for m, want := range right {
		if got := 100 * (1 - d.Models[m].Error.Value); math.Abs(got-want) > 0.006 { // printed with two decimals
			t.Errorf("%s is right on %v %%, printed %v", d.Models[m].Model, got, want)
		}
	}
	var cascades []result.PoolPoint
	for _, f := range d.Families {
		if f.Kind == "single" || f.Kind == "cascade" {
			cascades = append(cascades, f.Hull...)
		}
	}
	for k, price := range prices {
		for _, x := range []struct {
			what   string
			points []result.PoolPoint
			want   float64
		}{{"cascades and single models", cascades, least[k]}, {"the oracle", d.Oracle, oracle[k]}} {
			got := math.Inf(1)
			for _, p := range x.points {
				got = min(got, p.Cost+price*p.Error)
			}
			if math.Abs(got-x.want) > 1e-9*x.want {
				t.Errorf("%s at the price %v: %v, brute force %v", x.what, price, got, x.want)
			}
		}
	}
}
