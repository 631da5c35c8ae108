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
	dir := t.TempDir()
	var out, errOut bytes.Buffer
	if code := cli.Run(context.Background(), []string{"run", "../experiments/public/mmlu.toml", "--quiet", "--store",
		filepath.Join(dir, "answers"), "--out", filepath.Join(dir, "run")}, nil, &out, &errOut); code != cli.ExitOK {
		t.Fatal(errOut.String())
	}
	r, err := result.ReadFolder(filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	words := map[reports.Verdict]string{reports.ErrsMore: "errs more", reports.NotWorthIt: "not worth it",
		reports.WorthIt: "worth it", reports.NotShown: "not shown"}
	rows := 0
	for _, h := range reports.Headlines(r) {
		if h.Pool {
			continue
		}
		rows++
		for _, c := range r.Cascades {
			if c.Name != h.Cascade {
				continue
			}
			for _, x := range c.Datasets[0].Rows {
				if x.Policy != h.Ours.Policy {
					continue
				}
				if master := c.Models[len(c.Models)-1]; x.Rival.First != master || x.Rival.P != 0 {
					t.Errorf("%s: the rival is not %s alone", h.Cascade, master)
				}
				row := fmt.Sprintf("| %s | %.1f, %.1f | %s | %s | %s |", strings.Join(h.Models, " → "), 100*h.Student.Error.Value,
					100*h.Master.Error.Value, bracketed(x.Saved, 1), bracketed(x.Rival.Error, 100), words[h.Verdict])
				if !strings.Contains(string(page), row) {
					t.Errorf("the README lacks %s", row)
				}
			}
		}
	}
	if n := strings.Count(string(page), " → "); n != rows+1 { // and the head
		t.Errorf("the README has %d rows of cascades, the study %d", n-1, rows)
	}
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
