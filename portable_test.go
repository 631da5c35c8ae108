package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// portable are the functions of math whose bits are the same on every
// processor: they round once, or not at all. harness/calc has the others.
var portable = strings.Fields(`Abs Ceil Copysign FMA Float32bits Float32frombits Float64bits Float64frombits Floor
	Frexp Inf IsInf IsNaN Ldexp Max Min Mod Modf NaN Nextafter Nextafter32 Pow10 Round RoundToEven Signbit Sqrt Trunc`)

// Programs run by hand, and tests' servers, are outside of it; calc hands the cases without arithmetic to math.
var outsidePortable = []string{"experiments/peers", "backends/backendtest", "harness/calc"}

// TestSameBitsOnEveryProcessor fails where code calls a function of math, or
// of gonum, whose last digits depend on the processor.
func TestSameBitsOnEveryProcessor(t *testing.T) {
	calls := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			slices.ContainsFunc(outsidePortable, func(p string) bool { return strings.HasPrefix(filepath.ToSlash(path), p) }) {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if slices.Contains([]string{"gonum.org/v1/gonum/mathext", "gonum.org/v1/gonum/stat/combin",
				"gonum.org/v1/gonum/stat/distuv"}, name) {
				t.Errorf("%s imports %s: use harness/calc, which has the same bits on every processor", path, name)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			x, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, named := x.X.(*ast.Ident)
			if !named || of.Name != "math" || of.Obj != nil {
				return true
			}
			calls++
			if function(x.Sel.Name) && !slices.Contains(portable, x.Sel.Name) {
				t.Errorf("%s: math.%s differs between processors: use harness/calc", fset.Position(n.Pos()), x.Sel.Name)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if calls < 100 {
		t.Fatalf("%d uses of math were found: the test reads the wrong folder", calls)
	}
}

// function reports whether a name of math is a function's: the others are constants.
func function(name string) bool {
	if slices.Contains(strings.Fields("E Pi Phi Ln2 Ln10 Log2E Log10E Sqrt2 SqrtE SqrtPi SqrtPhi"), name) {
		return false
	}
	return !strings.HasPrefix(name, "MaxI") && !strings.HasPrefix(name, "MaxU") && !strings.HasPrefix(name, "MaxF") &&
		!strings.HasPrefix(name, "MinI") && !strings.HasPrefix(name, "Smallest")
}
