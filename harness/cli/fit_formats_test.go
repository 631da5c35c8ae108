package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// tenRows are the ten rows of fit.txtar under other names.
type tenRow struct {
	Beta    float64 `parquet:"beta"`
	Student bool    `parquet:"student_correct"`
	Master  bool    `parquet:"master_correct"`
	Class   string  `parquet:"prediction"`
}

var tenRows = []tenRow{
	{0.95, true, true, "red"}, {0.90, true, true, "red"}, {0.85, false, true, "red"}, {0.80, true, false, "red"}, {0.70,
		true, true, "red"},
	{0.95, true, true, "blue"}, {0.75, false, true, "blue"}, {0.70, true, true, "blue"}, {0.60, false, true, "red"}, {0.55,
		false, false, "blue"},
}

// fitOutput runs infnet fit and returns what it printed.
func fitOutput(t *testing.T, args ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := Run(context.Background(), append([]string{"fit"}, args...), nil, &out, &errOut); code != ExitOK {
		t.Fatalf("infnet fit %q: exit code %d: %s", args, code, &errOut)
	}
	return out.String()
}

// The same rows give the same thresholds in every format, and columns are
// recognised by their usual names.
func TestFitReadsEveryFormat(t *testing.T) {
	dir := t.TempDir()
	csv, jsonl := "beta,student_correct,master_correct,prediction\n", ""
	for _, r := range tenRows {
		csv += fmt.Sprint(r.Beta) + "," + truth(r.Student) + "," + truth(r.Master) + "," + r.Class + "\n"
		jsonl += `{"beta":` + fmt.Sprint(r.Beta) + `,"student_correct":` + truth(r.Student) + `,"master_correct":` +
			truth(r.Master) + `,"prediction":"` + r.Class + "\"}\n"
	}
	save(t, filepath.Join(dir, "a.csv"), csv)
	save(t, filepath.Join(dir, "a.jsonl"), jsonl)
	if err := parquet.WriteFile(filepath.Join(dir, "a.parquet"), tenRows); err != nil {
		t.Fatal(err)
	}
	want := fitOutput(t, filepath.Join(dir, "a.csv"), "--fit", "1")
	for _, part := range []string{
		"Columns recognised: confidence = beta, student = student_correct, master = master_correct, class = prediction.",
		"10 rows fit", "θ = 0.8", "θ = 0.7", "θ = 0.95", // as fit.txtar has them
	} {
		if !strings.Contains(want, part) {
			t.Errorf("no %q in\n%s", part, want)
		}
	}
	for _, name := range []string{"a.jsonl", "a.parquet"} {
		if got := fitOutput(t, filepath.Join(dir, name), "--fit", "1"); got != want {
			t.Errorf("%s:\n%s\nCSV:\n%s", name, got, want)
		}
	}
}

func truth(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// Whatever comes in, every line is decided or named.
func FuzzRoute(f *testing.F) {
	f.Add(`{"id":1,"confidence":0.5,"class":"red"}`)
	f.Add("{\"confidence\":\"1e-3\",\"class\":2}\n{\"confidence\":[]}")
	f.Add("null\n")
	dir := f.TempDir()
	log, thresholds := filepath.Join(dir, "log.csv"), filepath.Join(dir, "t.toml")
	if err := os.WriteFile(log, []byte("beta,student,master,class\n0.9,1,1,red\n0.8,0,1,blue\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	var out, errOut bytes.Buffer
	if code := Run(context.Background(), []string{"fit", log, "--fit", "1", "-o", thresholds}, nil, &out,
		&errOut); code != ExitOK {
		f.Fatal(errOut.String())
	}
	f.Fuzz(func(t *testing.T, in string) {
		var out, errOut bytes.Buffer
		code := Run(context.Background(), []string{"route", thresholds}, strings.NewReader(in), &out, &errOut)
		decided := strings.Count(out.String(), "\n")
		lines := 0
		for line := range strings.Lines(in) {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
		// with a header, and cells that may hold line breaks
		table := !strings.HasPrefix(strings.TrimLeft(in, " \t\r\n"), "{")
		switch code {
		case ExitOK:
			if decided != lines && !(table && decided <= max(0, lines-1)) {
				t.Errorf("%d decisions on %d lines", decided, lines)
			}
		case ExitData:
			if !table && !strings.Contains(errOut.String(), "line ") || decided >= lines {
				t.Errorf("%d decisions on %d lines, and the error %s", decided, lines, &errOut)
			}
		default:
			t.Errorf("exit code %d: %s", code, &errOut)
		}
	})
}
