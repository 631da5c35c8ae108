//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Where a path leads to what is no regular file, every reader says so at once; package regular has the kinds.
func TestReadersTakeRegularFilesOnly(t *testing.T) {
	in := func(model, data string) string {
		return strings.NewReplacer("MODEL", model, "DATA", data).Replace(`study = "s"
[[models]]
name = "small"
MODEL
[[models]]
name = "large"
backend = "simulated"
simulated = { alpha = 5, beta = 1, intercept = 0.08 }
[[datasets]]
name = "d"
source = "file:DATA"
task = "classification"
id = "item"
label = "colour"
labels = ["red", "green", "blue", "grey"]
prompt = "Item {item} is {colour}."
[[cascades]]
models = ["small", "large"]
[cost]
model = "tokens"
`)
	}
	simulated := "backend = \"simulated\"\nsimulated = { alpha = 2, beta = 1, intercept = 0.5 }"
	local := func(file string) func(t *testing.T) string {
		return func(t *testing.T) string {
			if err := os.CopyFS("m", os.DirFS(filepath.Join(repository, "backends/local/testdata/tiny"))); err != nil {
				t.Fatal(err)
			}
			save(t, "study.toml", in("backend = \"local\"\npath = \"m\"", "rows.csv"))
			return filepath.Join("m", file)
		}
	}
	study := func(model, data, path string) func(t *testing.T) string {
		return func(t *testing.T) string { save(t, "study.toml", in(model, data)); return path }
	}
	at := func(path string) func(*testing.T) string { return func(*testing.T) string { return path } }
	collect := []string{"collect", "study.toml", "--limit", "10"}
	for _, reader := range []struct {
		name  string
		place func(t *testing.T) string // writes what is around it, and says where it belongs
		args  []string
	}{
		{"spec", at("study.toml"), []string{"check", "study.toml"}},
		{"catalog", func(t *testing.T) string {
			save(t, "study.toml", "use = [\"c.toml\"]\n"+in(simulated, "rows.csv"))
			return "c.toml"
		}, []string{"check", "study.toml"}},
		{"catalog of --use", study(simulated, "rows.csv", "c.toml"), []string{"check", "study.toml", "--use", "c.toml"}},
		{"rows, csv", study(simulated, "x.csv", "x.csv"), collect},
		{"rows, parquet", study(simulated, "x.parquet", "x.parquet"), collect},
		{"answers", study(`answers = "a.csv"`, "rows.csv", "a.csv"), collect},
		{"model, weights", local("model.safetensors"), collect},
		{"thresholds", at("t.toml"), []string{"route", "t.toml"}},
		{"log of fit", at("log.csv"), []string{"fit", "log.csv"}},
		{"log of sufficiency", at("log.jsonl"), []string{"sufficiency", "log.jsonl", "--extra", "x"}},
		{"results", func(t *testing.T) string { mkdir(t, "run"); return "run/results.json" }, []string{"report", "run"}},
		{"store", func(t *testing.T) string {
			save(t, "study.toml", in(simulated, "rows.csv"))
			if code, out := within(t, collect); code != ExitOK {
				t.Fatal(out)
			}
			paths, err := filepath.Glob("runs/answers/small.*.jsonl")
			if err != nil || len(paths) != 1 {
				t.Fatal(paths, err)
			}
			if err := os.Remove(paths[0]); err != nil {
				t.Fatal(err)
			}
			return paths[0]
		}, collect},
	} {
		t.Run(reader.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := writeColours("rows.csv", 40); err != nil {
				t.Fatal(err)
			}
			path := reader.place(t)
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			code, out := within(t, reader.args)
			if code == ExitOK || !strings.Contains(out, "is a named pipe") {
				t.Errorf("exit code %d, want an error that says %q:\n%s", code, "is a named pipe", out)
			}
		})
	}
}

// repository is the root as a path that stays where the folder changes.
var repository, _ = filepath.Abs(root)

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

// within runs a command that must end soon.
func within(t *testing.T, args []string) (code int, said string) {
	t.Helper()
	var out, errOut bytes.Buffer
	ended := make(chan int, 1)
	go func() { ended <- Run(context.Background(), args, strings.NewReader(""), &out, &errOut) }()
	select {
	case code = <-ended:
		return code, out.String() + errOut.String()
	case <-time.After(time.Minute):
		t.Fatalf("infnet %s hangs", strings.Join(args, " "))
		return 0, ""
	}
}
