package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// relied lists packages that a command cannot do without: whose code calls them, and a command that reaches that code.
// CONTRIBUTING.md has the same table.
var relied = []struct{ imported, by, does, command string }{
	{"github.com/BurntSushi/toml", "harness/spec", "reads studies", "infnet check experiments/quickstart.toml"},
	{"github.com/tmc/langchaingo", "backends/hosted", "asks hosted models", "infnet run experiments/hosted-master.toml"},
	{"github.com/hupe1980/go-huggingface", "backends/huggingface", "asks zero-shot and question-answering endpoints",
		"infnet run experiments/endpoints.toml"},
	{"gonum.org/v1/gonum/stat", "harness/cost", "means and medians of what answers cost",
		"infnet run experiments/quickstart.toml"},
	{"github.com/olekukonko/tablewriter", "reports/table", "writes tables", "infnet run experiments/quickstart.toml"},
}

// Each of these packages is called by code that main reaches, not only imported, and the page says the same.
func TestPackagesThatCommandsNeed(t *testing.T) {
	page, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	reached := reach(t)
	for _, r := range relied {
		if !reached[r.by] {
			t.Errorf("main does not reach %s", r.by)
		}
		if calls := callsInto(t, r.by, r.imported); calls == 0 {
			t.Errorf("nothing in %s calls %s, so %q would work without it", r.by, r.imported, r.command)
		}
		words := strings.Fields(r.command)
		if _, err := os.Stat(words[len(words)-1]); err != nil {
			t.Errorf("%q: %v", r.command, err)
		}
		if row := fmt.Sprintf("| `%s` | `%s` | %s | `%s` |", r.imported, r.by, r.does,
			r.command); !strings.Contains(string(page), row) {
			t.Errorf("CONTRIBUTING.md has no row\n%s", row)
		}
	}
}

// sources are the parsed files of a package without its tests.
func sources(t *testing.T, pkg string) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.FromSlash(pkg), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

// reach are the packages of this module that main is built of.
func reach(t *testing.T) map[string]bool {
	t.Helper()
	seen, next := map[string]bool{".": true}, []string{"."}
	for len(next) > 0 {
		pkg := next[0]
		next = next[1:]
		for _, f := range sources(t, pkg) {
			for _, s := range f.Imports {
				imported, err := strconv.Unquote(s.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				if ours, ok := strings.CutPrefix(imported, "infnet/"); ok && !seen[ours] {
					seen[ours] = true
					next = append(next, ours)
				}
			}
		}
	}
	return seen
}

// callsInto counts the calls of functions of a module, or of a package below it.
func callsInto(t *testing.T, pkg, module string) (n int) {
	t.Helper()
	for _, f := range sources(t, pkg) {
		var names []string
		for _, s := range f.Imports {
			imported, err := strconv.Unquote(s.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case imported != module && !strings.HasPrefix(imported, module+"/"):
			case s.Name != nil:
				names = append(names, s.Name.Name)
			default:
				names = append(names, path.Base(imported))
			}
		}
		ast.Inspect(f, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && slices.Contains(names, x.Name) {
					n++
				}
			}
			return true
		})
	}
	return n
}
