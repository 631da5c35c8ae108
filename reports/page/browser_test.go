package page_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/harness/cli"
	"infnet/harness/result"
	"infnet/reports/page"
)

// The tests of the files browser_*_test.go open pages in a real Chromium, and are skipped where there is none.

// home is where the studies of these tests are run, once for all of them.
var home string

func TestMain(m *testing.M) {
	var err error
	if home, err = os.MkdirTemp("", "infnet-page-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	endChromium()
	os.RemoveAll(home)
	os.Exit(code)
}

// infnet runs a command of the program.
func infnet(t testing.TB, args ...string) string {
	t.Helper()
	var out, screen bytes.Buffer
	if code := cli.Run(context.Background(), args, strings.NewReader(""), &out, &screen); code != 0 {
		t.Fatalf("infnet %q = %d\n%s%s", args, code, out.String(), screen.String())
	}
	return out.String()
}

// ran returns the folder of a study's run, which the first that asks for it makes.
func ran(t testing.TB, spec string, args ...string) string {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(spec), ".toml")
	dir := filepath.Join(home, name)
	if _, err := os.Stat(dir); err != nil {
		infnet(t, append([]string{"run", spec, "--out", dir, "--store", filepath.Join(home, name+"-answers"), "--quiet"},
			args...)...)
	}
	return dir
}

// simulated and chain are runs of shipped studies whose answers cost nothing, quick one with texts of every task.
func simulated(t testing.TB) string {
	return ran(t, "../../experiments/simulated.toml", "--limit", "500")
}
func chain(t testing.TB) string { return ran(t, "../../experiments/chain.toml", "--limit", "500") }
func quick(t testing.TB) string { return ran(t, "quickstart", "--limit", "60") }

// softSpec is a study with soft errors; the paths of its models are left out.
const softSpec = `
study = "soft"
[[models]]
name = "tiny-student"
backend = "local"
path = %q
[[models]]
name = "tiny-master"
backend = "local"
path = %q
[[datasets]]
name = "phrasebook"
source = "builtin:phrasebook"
limit = 100
correct = { rule = "token-f1", tau = 0.5, soft = true }
[[cascades]]
models = ["tiny-student", "tiny-master"]
`

// soft is a run whose errors are shares of a record.
func soft(t testing.TB) string {
	t.Helper()
	models, err := filepath.Abs("../../experiments/models")
	if err != nil {
		t.Fatal(err)
	}
	spec := filepath.Join(home, "soft.toml")
	text := fmt.Sprintf(softSpec, filepath.Join(models, "tiny-student"), filepath.Join(models, "tiny-master"))
	if err := os.WriteFile(spec, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return ran(t, spec)
}

// address is the address of a file.
func address(path string) string { return "file://" + filepath.ToSlash(path) }

// pageOf is the page that a run wrote.
func pageOf(dir string) string { return filepath.Join(dir, "report.html") }

// build writes the page of results and records that were changed, and returns its path.
func build(t testing.TB, r *result.Results, records []result.Record, texts int64) string {
	t.Helper()
	all := func(yield func(result.Record, error) bool) {
		for _, x := range records {
			if !yield(x, nil) {
				return
			}
		}
	}
	var out bytes.Buffer
	if err := page.Build(&out, page.Input{Results: r, Records: all, Texts: texts}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns the results and records of a run.
func read(t testing.TB, dir string) (*result.Results, []result.Record) {
	t.Helper()
	r, err := result.ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []result.Record
	for x, err := range result.Records(dir) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	return r, all
}

// quiet fails where a page complained or asked for anything but itself.
func quiet(t testing.TB, p *Page, address string) {
	t.Helper()
	for _, problem := range p.Problems() {
		t.Error(problem)
	}
	if asked := slices.Compact(p.Requests()); !slices.Equal(asked, []string{address}) {
		t.Errorf("requests: %q, want the page alone", asked)
	}
}
