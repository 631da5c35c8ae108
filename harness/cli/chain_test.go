package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"infnet/harness/result"
)

// The simulated study of three models through the command line: tables, one
// record, and the records as tidy tables.
func TestChainStudy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	infnet := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := Run(context.Background(), args, nil, &out, &errs); code != ExitOK {
			t.Fatalf("%v: exit %d: %s", args, code, &errs)
		}
		return out.String()
	}
	tables := infnet("run", filepath.FromSlash("../../experiments/chain.toml"), "--limit", "1000", "--quiet", "--tables",
		"--store", filepath.Join(dir, "answers"), "--out", run)
	for _, want := range []string{"Ours, small → middle → large", "Ours, small → large", "Stages of chains",
		"Asking small too pays: at the same budget", "Ensemble, majority"} {
		if !strings.Contains(tables, want) {
			t.Errorf("the tables do not say %q", want)
		}
	}
	study, err := result.Read(filepath.Join(run, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	d := study.Cascades[0].Datasets[0]
	if d.Extra == nil || d.Extra.Pays != "yes" || !(d.Extra.Saved.Low > 0) {
		t.Errorf("the small model's share of the chain: %+v, want that it pays", d.Extra)
	}
	infnet("export", run)
	wrong, cost, n := exported(t, filepath.Join(run, "export", "decisions.csv"))
	for _, r := range d.Rows {
		if r.Policy != "chain" {
			continue
		}
		if n != d.Counts.Test || float64(wrong)/float64(n) != r.Error.Value {
			t.Errorf("exported: %d of %d wrong, the table says %v of %d", wrong, n, r.Error.Value, d.Counts.Test)
		}
		// Simulated costs are the same for every query: 40 is the large model's.
		if saved := 100 * (1 - cost/float64(n)/40); saved < r.Saved.Value-1e-9 || saved > r.Saved.Value+1e-9 {
			t.Errorf("exported: %v %% saved, the table says %v", saved, r.Saved.Value)
		}
	}
}

// exported sums the chain's decisions about the test part.
func exported(t *testing.T, path string) (wrong int, cost float64, n int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range lines[0] {
		at[name] = i
	}
	for _, line := range lines[1:] {
		if line[at["policy"]] != "chain" || line[at["part"]] != "test" {
			continue
		}
		n++
		if line[at["final_correct"]] == "false" {
			wrong++
		}
		v, err := strconv.ParseFloat(line[at["cost"]], 64)
		if err != nil {
			t.Fatal(err)
		}
		cost += v
	}
	return wrong, cost, n
}
