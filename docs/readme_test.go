package docs_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/cli"
	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports"
)

// The README's table of real models is what the study that it names gives.
func TestRealModels(t *testing.T) {
	if os.Getenv("INFNET_DATA") == "" {
		t.Skip("INFNET_DATA is not set: it names the folder that has the recorded answers")
	}
	if testing.Short() {
		t.Skip("runs a study")
	}
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, set := range []string{"TriviaQA", "MMLU"} {
		rows += realModels(t, string(page), set)
	}
	if n := strings.Count(string(page), " → "); n != rows+1 || rows != 6 { // and the head
		t.Errorf("the README has %d rows of cascades, the studies %d", n-1, rows)
	}
}

// realModels runs a set's study and wants the README's rows of it; it returns how many there are.
func realModels(t *testing.T, page, set string) (rows int) {
	t.Helper()
	dir := t.TempDir()
	var out, errOut bytes.Buffer
	if code := cli.Run(context.Background(), []string{"run", "../experiments/public/" + strings.ToLower(set) + ".toml",
		"--quiet", "--store", filepath.Join(dir, "answers"), "--out", filepath.Join(dir, "run")}, nil, &out,
		&errOut); code != cli.ExitOK {
		t.Fatal(errOut.String())
	}
	r, err := result.ReadFolder(filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	words := map[reports.Verdict]string{reports.ErrsMore: "errs more", reports.NotWorthIt: "not worth it",
		reports.WorthIt: "worth it", reports.NotShown: "not shown"}
	for _, h := range reports.Headlines(r) {
		if h.Pool || h.Student.Saved.Value < 1 { // a student that costs what its master costs
			continue
		}
		rows++
		x := ours(t, r, &h)
		row := fmt.Sprintf("| %s | %s | %.1f, %.1f | %s | %s | %s | %s |", set, strings.Join(h.Models, " → "),
			100*h.Student.Error.Value, 100*h.Master.Error.Value, bracketed(x.Saved, 1), bracketed(x.Rival.Error, 100),
			bracketed(x.Rival.Saved, 100), words[h.Verdict])
		if !strings.Contains(page, row) {
			t.Errorf("the README lacks %s", row)
		}
	}
	return rows
}

// ours is the row that a headline is about.
func ours(t *testing.T, r *result.Results, h *reports.Headline) result.Row {
	t.Helper()
	for _, c := range r.Cascades {
		for _, x := range c.Datasets[0].Rows {
			if c.Name != h.Cascade || x.Policy != h.Ours.Policy {
				continue
			}
			return x
		}
	}
	t.Fatalf("%s has no row %s", h.Cascade, h.Ours.Policy)
	return result.Row{}
}

func bracketed(iv infer.Interval, times float64) string {
	return fmt.Sprintf("%.1f [%.1f, %.1f]", times*iv.Value, times*iv.Low, times*iv.High)
}

// The picture is small enough for a page that is read in two minutes.
func TestPicture(t *testing.T) {
	info, err := os.Stat("report.png")
	if err != nil || info.Size() > 200_000 {
		t.Errorf("report.png: %v, %v", info, err)
	}
}
