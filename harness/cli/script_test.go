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
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"infnet/backends/backendtest/fakeengine"
	"infnet/backends/engine/supervisor"
	"infnet/experiments"
)

// TestMain makes this test binary serve as infnet too: tests that kill processes, and scripts that need a process of
// its own, start it under that name.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // a fifth less of processor time, here and in the processes that tests start
	_ = os.Setenv("GOGC", "400")
	_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))) // most of them wait for processes
	supervisor.Main()                                                    // scripts start servers
	fakeengine.Main()
	if filepath.Base(os.Args[0]) == "infnet" {
		os.Exit(Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(withInfnet(func() int { return inHalves(m.Run) }))
}

// inHalves runs the scripts and all else at once, in two processes, where all tests are run: folder and environment are
// a process's.
func inHalves(tests func() int) int {
	flag.Parse()
	for _, chosen := range []string{"run", "list", "skip", "bench", "fuzz", "cpuprofile", "memprofile"} {
		if flag.Lookup("test."+chosen).Value.String() != "" || testing.CoverMode() != "" {
			return tests()
		}
	}
	rest := exec.Command(os.Args[0], append(os.Args[1:], "-test.skip=^TestScripts$")...)
	log := flag.Lookup("test.testlogfile").Value.String() // what go looks at before it calls a result cached
	if log != "" {
		log += ".rest"
		rest.Args = append(rest.Args, "-test.testlogfile="+log)
		defer os.Remove(log)
	}
	var out bytes.Buffer
	rest.Stdout, rest.Stderr = &out, &out
	if err := rest.Start(); err != nil {
		panic(err)
	}
	_ = flag.Set("test.run", "^TestScripts$")
	code := tests()
	if err := rest.Wait(); err != nil {
		code = max(code, 1)
	}
	_, _ = os.Stdout.Write(out.Bytes())
	if log != "" {
		readAgain(log)
	}
	return code
}

// readAgain asks for what another process asked for, so that it stands in the log of this one.
func readAgain(log string) {
	lines, _ := os.ReadFile(log)
	for line := range strings.Lines(string(lines)) {
		switch verb, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); verb {
		case "getenv":
			os.Getenv(name)
		case "chdir":
			_ = os.Chdir(name)
		case "open", "stat":
			_, _ = os.Stat(name)
		}
	}
}

// withInfnet runs the tests with a folder on the PATH that holds infnet.
func withInfnet(tests func() int) int {
	bin, err := os.MkdirTemp("", "infnet-bin-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin)
	program, err := os.Executable()
	if err == nil {
		err = os.Link(program, filepath.Join(bin, "infnet")) // no other link: job scripts name the file that runs
	}
	if err != nil {
		panic(err)
	}
	_ = os.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return tests()
}

// exitCodes are the exit codes as scripts name them.
var exitCodes = map[string]int{
	"ok": ExitOK, "failure": ExitFailure, "usage": ExitUsage, "spec": ExitSpec, "data": ExitData, "model": ExitModel,
	"incomplete": ExitIncomplete, "offline": ExitOffline, "store": ExitStore, "differs": ExitDiffers, "budget": ExitBudget,
	"interrupted": ExitInterrupted, "worse": ExitWorse, "unrelated": ExitUnrelated,
}

// TestScripts runs the scripts of testdata/script, one after the other. Each finds study.toml of testdata/study in its
// folder, and colours.csv with 60 records.
//
// Beside testscript's own commands there are
//
//	infnet ARGS… [< FILE]     run in this process; exec infnet is a process of its own
//	exits CODE infnet ARGS…   run, and want this exit code, by name; exits CODE exec infnet ARGS… likewise
//	rows N FILE               write a dataset of N records
//	sums FOLDER FILE          write the checksums of all files in a folder
//	jsonlines FILE            want one JSON object per line, and at least one
//	model FOLDER              copy a tiny local model
//	replies FILE SPEC         start a server that says what the file says, and name it in the spec
//	break HOW FOLDER          spoil a local model: see breakModel
func TestScripts(t *testing.T) {
	testscript.RunT(alone{t}, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"infnet": inProcess, "exits": exits, "rows": rows, "sums": sums, "jsonlines": jsonLines, "model": copyModel,
			"break": breakModel, "replies": replies,
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

// alone is a test whose scripts run one after the other: folder and environment are the process's.
type alone struct{ *testing.T }

func (alone) Parallel()     {}
func (alone) Verbose() bool { return testing.Verbose() }

func (a alone) Run(name string, f func(testscript.T)) {
	a.T.Run(name, func(t *testing.T) { f(alone{t}) })
}

// scriptVariables are the names of the environment variables that a script has.
type scriptVariables struct{}

func setup(env *testscript.Env) error {
	// ONLY: a folder with infnet and nothing else, for scripts that choose what is on the PATH.
	env.Setenv("ONLY", filepath.SplitList(env.Getenv("PATH"))[0])
	encoder, err := filepath.Abs("../../backends/encoder/testdata/bert")
	if err != nil {
		return err
	}
	// ENCODER: a tiny BERT with random weights
	env.Vars = append(env.Vars, "HOME="+env.WorkDir, "NO_COLOR=1", "GOGC=400", "ENCODER="+encoder)
	script, err := os.ReadFile(filepath.Join("testdata/script", strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")+
		".txtar"))
	if err != nil {
		return err
	}
	var names []string
	for _, v := range env.Vars {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, name)
	}
	for _, set := range regexp.MustCompile(`(?m)^env (\w+)=`).FindAllSubmatch(script, -1) {
		names = append(names, string(set[1]))
	}
	env.Values[scriptVariables{}] = names
	if err := writeColours(filepath.Join(env.WorkDir, "colours.csv"), 60); err != nil {
		return err
	}
	spec, err := os.ReadFile("testdata/study/study.toml")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(env.WorkDir, "study.toml"), spec, 0o666)
}

// setEnviron makes these the environment variables, and no others.
func setEnviron(vars []string) {
	os.Clearenv()
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		_ = os.Setenv(name, value)
	}
}

// runHere runs infnet in this process, in the folder and with the environment of the script.
func runHere(ts *testscript.TestScript, args []string) (code int) {
	before, err := os.Getwd()
	ts.Check(err)
	environ := os.Environ()
	defer func() { ts.Check(os.Chdir(before)); setEnviron(environ) }()
	var vars []string
	for _, name := range ts.Value(scriptVariables{}).([]string) {
		if value := ts.Getenv(name); value != "" {
			vars = append(vars, name+"="+value)
		}
	}
	setEnviron(vars)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	in := ""
	if n := len(args); n > 2 && args[n-2] == "<" {
		in, args = ts.ReadFile(args[n-1]), args[:n-2]
	}
	return Run(context.Background(), args, strings.NewReader(in), ts.Stdout(), ts.Stderr())
}

func inProcess(ts *testscript.TestScript, neg bool, args []string) {
	if code := runHere(ts, args); (code != 0) != neg {
		ts.Fatalf("infnet: exit code %d", code)
	}
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
	switch args[1] {
	case "infnet":
		got = runHere(ts, args[2:])
	case "exec":
		var status *exec.ExitError
		if err := ts.Exec(args[2], args[3:]...); errors.As(err, &status) {
			got = status.ExitCode()
		} else {
			ts.Check(err)
		}
	default:
		ts.Fatalf("exits is about infnet")
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
