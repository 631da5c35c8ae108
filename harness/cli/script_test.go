package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"infnet/backends/backendtest/fakeengine"
	"infnet/backends/engine/supervisor"
	"infnet/experiments"
)

// TestMain makes this test binary serve as infnet too: scripts and tests that
// kill processes start it under that name.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // a fifth less of processor time, here and in the processes that tests start
	_ = os.Setenv("GOGC", "400")
	_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))) // most of them wait for processes
	supervisor.Main()                                                    // scripts start servers
	fakeengine.Main()
	testscript.Main(m, map[string]func(){
		"infnet": func() { os.Exit(Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// exitCodes are the exit codes as scripts name them.
var exitCodes = map[string]int{
	"ok": ExitOK, "failure": ExitFailure, "usage": ExitUsage, "spec": ExitSpec, "data": ExitData, "model": ExitModel,
	"incomplete": ExitIncomplete, "offline": ExitOffline, "store": ExitStore, "differs": ExitDiffers, "budget": ExitBudget,
	"interrupted": ExitInterrupted, "worse": ExitWorse, "unrelated": ExitUnrelated, "changed": ExitChanged,
}

// TestScripts runs the scripts of testdata/script. Each finds study.toml of
// testdata/study in its folder, and colours.csv with 200 records.
//
// Beside testscript's own commands there are
//
//	exits CODE infnet ARGS…   run, and want this exit code, by name
//	rows N FILE               write a dataset of N records
//	sums FOLDER FILE          write the checksums of all files in a folder
//	jsonlines FILE            want one JSON object per line, and at least one
//	model FOLDER              copy a tiny local model
//	replies FILE SPEC         start a server that says what the file says, and name it in the spec
//	break HOW FOLDER          spoil a local model: see breakModel
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "rows": rows, "sums": sums, "jsonlines": jsonLines, "model": copyModel, "break": breakModel,
			"replies": replies,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Getuid() == 0, nil
			case "weights":
				_, err := fs.Stat(experiments.Files, "models/tiny-student/model.safetensors")
				return err == nil, nil
			case "tmpfs":
				return exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt").Run() == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

func setup(env *testscript.Env) error {
	// ONLY: a folder with infnet and nothing else, for scripts that choose what is on the PATH.
	only := filepath.Join(env.WorkDir, ".only")
	if err := os.Mkdir(only, 0o700); err != nil {
		return err
	}
	program := filepath.Join(filepath.SplitList(env.Getenv("PATH"))[0], "infnet")
	if err := os.Symlink(program, filepath.Join(only, "infnet")); err != nil {
		return err
	}
	env.Setenv("ONLY", only)
	encoder, err := filepath.Abs("../../backends/encoder/testdata/bert")
	if err != nil {
		return err
	}
	// ENCODER: a tiny BERT with random weights
	env.Vars = append(env.Vars, "HOME="+env.WorkDir, "NO_COLOR=1", "GOGC=400", "ENCODER="+encoder)
	if err := writeColours(filepath.Join(env.WorkDir, "colours.csv"), 200); err != nil {
		return err
	}
	spec, err := os.ReadFile("testdata/study/study.toml")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(env.WorkDir, "study.toml"), spec, 0o666)
}

// writeColours writes n records of four classes.
func writeColours(path string, n int) error {
	var b bytes.Buffer
	b.WriteString("item,colour\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%s\n", i+1, []string{"red", "green", "blue", "grey"}[i*i%7%4])
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command…")
	}
	want, known := exitCodes[args[0]]
	if !known {
		ts.Fatalf("no exit code is called %q", args[0])
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var status *exec.ExitError
		if !errors.As(err, &status) {
			ts.Fatalf("%v", err)
		}
		got = status.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d (%s)", got, want, args[0])
	}
}

func rows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: rows N FILE")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(writeColours(ts.MkAbs(args[1]), n))
}

func sums(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sums FOLDER FILE")
	}
	text, err := checksums(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o666))
}

// checksums lists every file under dir with the SHA-256 of its bytes.
func checksums(dir string) (string, error) {
	var b bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(content), filepath.ToSlash(name))
		return err
	})
	if err == nil && b.Len() == 0 {
		err = fmt.Errorf("%s holds no file", dir)
	}
	return b.String(), err
}

func jsonLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: jsonlines FILE")
	}
	lines := bytes.Split(bytes.TrimSuffix([]byte(ts.ReadFile(args[0])), []byte("\n")), []byte("\n"))
	for i, line := range lines {
		var object map[string]any
		if err := json.Unmarshal(line, &object); err != nil {
			ts.Fatalf("%s:%d: %q is no JSON object: %v", args[0], i+1, line, err)
		}
	}
}

func copyModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FOLDER")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(filepath.Join(root, "backends/local/testdata/tiny"))))
}

// root is the repository, seen from this package.
const root = "../.."

// breakModel spoils the weights of a model folder in one of these ways:
//
//	header    the JSON header is no JSON
//	cut       the file ends early, as after a broken download
//	missing   a tensor has another name
//	shape     a tensor has its two sides exchanged
func breakModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: break HOW FOLDER")
	}
	path := filepath.Join(ts.MkAbs(args[1]), "model.safetensors")
	weights, err := os.ReadFile(path)
	ts.Check(err)
	broken := bytes.Clone(weights)
	switch args[0] {
	case "header":
		copy(broken[8:], "this is no header")
	case "cut":
		broken = broken[:len(broken)-100]
	case "missing":
		broken = bytes.Replace(broken, []byte(`"model.norm.weight"`), []byte(`"model.morn.weight"`), 1)
	case "shape":
		broken = bytes.Replace(broken, []byte(`[96,48]`), []byte(`[48,96]`), 1)
	default:
		ts.Fatalf("break: unknown way %q", args[0])
	}
	if bytes.Equal(broken, weights) {
		ts.Fatalf("break %s changed nothing: the tiny model is not what this expects", args[0])
	}
	ts.Check(os.WriteFile(path, broken, 0o666))
}
