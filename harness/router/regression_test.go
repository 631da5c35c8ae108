package router

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// read reads a file of expected values.
func read(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The scores are scikit-learn's: testdata/make_regression.py.
func TestRegressionIsScikitLearns(t *testing.T) {
	var want struct {
		Tokens   [][]float64
		Label    []float64
		ByTokens []float64 `json:"by_tokens"`
	}
	read(t, "regression", &want)
	task := Task{Labels: want.Label, Answered: true}
	for i, x := range want.Tokens {
		task.Samples = append(task.Samples, Sample{ID: fmt.Sprintf("%03d", i), Features: x})
	}
	got, err := NewRegression().Learn(t.Context(), task, task.Samples)
	if err != nil || got.Report.Records != 80 || len(got.Report.Digest) != 64 {
		t.Fatalf("%+v, %v", got, err)
	}
	if diff := cmp.Diff(want.ByTokens, got.Scores, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}
