package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Limits of the layout. Lines inside raw strings are data, and may be longer.
const (
	lineLimit     = 120 // characters
	functionLimit = 80  // lines, in files that are no tests
)

func TestLinesAndFunctionsAreShort(t *testing.T) {
	described := map[string]bool{} // folders of packages, and whether a file of theirs has the package's comment
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "runs"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, src, parser.ParseComments)
		if err != nil {
			return err
		}
		if dir := filepath.Dir(path); !strings.HasSuffix(path, "_test.go") {
			described[dir] = described[dir] || file.Doc != nil
		}
		raw := map[int]bool{} // lines that hold part of a raw string
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if n.Kind == token.STRING && n.Value[0] == '`' {
					for line := fset.Position(n.Pos()).Line; line <= fset.Position(n.End()).Line; line++ {
						raw[line] = true
					}
				}
			case *ast.FuncDecl:
				lines := fset.Position(n.End()).Line - fset.Position(n.Pos()).Line + 1
				if lines > functionLimit && !strings.HasSuffix(path, "_test.go") {
					t.Errorf("%s: %s has %d lines, more than %d", fset.Position(n.Pos()), n.Name.Name, lines, functionLimit)
				}
			}
			return true
		})
		for i, line := range bytes.Split(src, []byte("\n")) {
			if n := utf8.RuneCount(line); n > lineLimit && !raw[i+1] {
				t.Errorf("%s:%d: %d characters, more than %d", path, i+1, n, lineLimit)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, comment := range described {
		if !comment {
			t.Errorf("the package in %s has no comment: what it owns, refuses, and its opinion", dir)
		}
	}
}

// budget are the most lines of Go, without tests, that a folder at the top may have, those below it included. The code
// grew by half in two days, each piece of it good. So a commit that raises a number says why, and what went.
var budget = map[string]int{
	".":           100,
	"backends":    20080,
	"docs":        30,
	"experiments": 20,
	"harness":     60800,
	"metrics":     5430,
	"reports":     10370,
	"sufficiency": 4620,
}

func TestFoldersKeepTheirBudget(t *testing.T) {
	lines := map[string]int{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "runs"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		top, _, below := strings.Cut(filepath.ToSlash(path), "/")
		if !below {
			top = "."
		}
		lines[top] += bytes.Count(src, []byte("\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for top, n := range lines {
		if n > budget[top] {
			t.Errorf("%s has %d lines of Go without tests, more than %d: delete what the change makes superfluous, or raise "+
				"the budget in layout_test.go, and let the commit say why, and what went", top, n, budget[top])
		}
	}
}
