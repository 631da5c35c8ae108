package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var faults = flag.Int("faults", 0, "plant so many faults, one after another, and run the tests of their packages")

// planted are the packages of arithmetic and of reading.
var planted = []string{"harness/policy", "harness/policy/chain", "harness/policy/guarantee", "harness/population",
	"harness/curve", "harness/confidence", "harness/cost", "harness/split", "harness/task", "harness/pool",
	"harness/router",
	"metrics", "metrics/infer", "sufficiency", "sufficiency/gbdt", "sufficiency/pcm", "harness/dataset/files",
	"harness/recorded", "harness/outcomes", "harness/store", "harness/doubt", "backends/wording", "backends/strictjson",
	"backends/runtime/wordpiece", "backends/runtime/bbpe", "backends/runtime/spm", "backends/runtime/safetensors"}

// swaps turn an operator into another one that compiles wherever it does.
var swaps = map[token.Token]token.Token{token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO,
	token.QUO: token.MUL, token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND}

// place is an operator in a file.
type place struct {
	pkg, file string
	at        token.Position
	op        token.Token
}

// Of faults that are drawn at random from all operators of arithmetic and of reading, how many do the tests of the same
// package find? Some change nothing that can be seen, and some others are found by tests of other packages alone.
func TestPlantedFaultsAreFound(t *testing.T) {
	if *faults == 0 {
		t.Skip("plants faults with -faults 50, which takes minutes")
	}
	var all []place
	for _, pkg := range planted {
		all = append(all, operators(t, pkg)...)
	}
	rng := rand.New(rand.NewPCG(28, 1))
	found := 0
	for i := range *faults {
		p := all[rng.IntN(len(all))]
		verdict := plant(t, p)
		if verdict != "missed" {
			found++
		}
		fmt.Printf("%3d  %-8s %s:%d:%d  %s → %s\n", i+1, verdict, p.file, p.at.Line, p.at.Column, p.op, swaps[p.op])
	}
	fmt.Printf("%d of %d faults are found by the tests of their own package\n", found, *faults)
}

// operators lists the operators of a package that can be swapped, without those on texts.
func operators(t *testing.T, pkg string) (out []place) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if b, ok := n.(*ast.BinaryExpr); ok && swaps[b.Op] != token.ILLEGAL && !texts(b.X) && !texts(b.Y) {
				out = append(out, place{pkg, path, fset.Position(b.OpPos), b.Op})
			}
			return true
		})
	}
	return out
}

// texts reports a text that is written out, or a nil: another operator would not compile, or mean nothing.
func texts(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	name, also := e.(*ast.Ident)
	return ok && lit.Kind == token.STRING || also && name.Name == "nil"
}

// plant runs the tests of a package whose file has another operator.
func plant(t *testing.T, p place) string {
	t.Helper()
	src, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	end := p.at.Offset + len(p.op.String())
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	text := string(src[:p.at.Offset]) + swaps[p.op].String() + string(src[end:])
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	full, err := filepath.Abs(p.file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{full: changed}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) error {
		return exec.Command("go", append(args, "-overlay", overlay, "./"+p.pkg)...).Run()
	}
	switch {
	case run("vet") != nil && run("build") != nil:
		return "compiler"
	case run("test", "-count", "1", "-timeout", "5m") != nil:
		return "found"
	}
	return "missed"
}
