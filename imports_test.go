package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed is who may import whom: for every package, the packages of this
// module that its non-test files may import. Imports point from main.go to the
// leaves, never sideways or back. A package that is not listed fails the test,
// and so does an entry that nothing needs.
var allowed = map[string][]string{
	".": {"backends/engine/supervisor", "harness/cli"},

	"backends": {"harness/calc", "backends/redact", "harness/choice"},
	"backends/open": {"harness/regular", "backends", "backends/bart", "backends/encoder",
		"backends/decisions", "backends/hosted", "backends/huggingface", "backends/local", "backends/simulated",
		"backends/lexical", "backends/openai", "backends/replay", "backends/runtime/folder"},
	"backends/engine/supervisor":      {"backends/redact"},
	"backends/backendtest":            {"backends", "backends/runtime/number", "backends/runtime/safetensors"},
	"backends/backendtest/fakeengine": {},
	"backends/encoder": {"backends", "backends/runtime/folder", "backends/runtime/kernel",
		"backends/runtime/safetensors", "backends/runtime/transformer", "backends/runtime/wordpiece",
		"backends/runtime/workers"},
	"backends/bart": {"harness/calc",
		"backends", "backends/runtime/bbpe", "backends/runtime/folder", "backends/runtime/kernel",
		"backends/runtime/safetensors", "backends/runtime/transformer", "backends/runtime/workers"},
	"backends/huggingface": {"harness/calc", "backends", "backends/httpfailure", "backends/wire"},
	"backends/decisions":   {"harness/calc", "backends", "backends/httpfailure", "backends/strictjson", "backends/wire"},
	"backends/hosted":      {"backends", "backends/httpfailure", "backends/wire"},
	"backends/httpfailure": {"backends", "backends/wording"},
	"backends/lexical":     {"harness/calc", "backends"},
	"backends/local": {"backends", "backends/runtime/bbpe", "backends/runtime/folder", "backends/runtime/kernel",
		"backends/runtime/safetensors", "backends/runtime/spm", "backends/runtime/transformer",
		"backends/runtime/workers", "harness/seed"},
	"backends/runtime/bbpe":        {"backends/runtime/pieces"},
	"backends/runtime/folder":      {},
	"backends/runtime/kernel":      {"backends/runtime/number"},
	"backends/runtime/number":      {},
	"backends/runtime/pieces":      {},
	"backends/runtime/safetensors": {"backends/runtime/number"},
	"backends/runtime/spm":         {"backends/runtime/pieces"},
	"backends/runtime/transformer": {"backends", "backends/runtime/kernel", "backends/runtime/number",
		"backends/runtime/safetensors", "harness/calc"},
	"backends/runtime/wordpiece": {"backends/runtime/pieces"},
	"backends/runtime/workers":   {},
	"backends/openai": {"harness/calc", "backends", "backends/httpfailure", "backends/wire",
		"backends/wording"},
	"backends/wire": {"backends", "backends/httpfailure", "backends/redact",
		"backends/strictjson"},
	"backends/strictjson": {},
	"backends/wording":    {},
	"backends/replay":     {"backends"},
	"backends/redact":     {},
	"backends/engine":     {"backends"},
	"backends/retry":      {"backends"},
	"backends/simulated":  {"harness/calc", "backends", "harness/seed"},

	"metrics":         {"harness/calc", "harness/choice", "harness/radix"},
	"metrics/extract": {"backends/wording"},
	"metrics/grade":   {"metrics"},
	"metrics/infer":   {"harness/calc"},

	"harness/baseline":        {"harness/choice", "harness/cost", "harness/router"},
	"harness/calc":            {},
	"harness/choice":          {},
	"harness/fault":           {},
	"harness/regular":         {},
	"harness/seed":            {},
	"harness/seed/steady":     {},
	"harness/spool":           {},
	"harness/split":           {"harness/calc", "harness/radix", "harness/seed", "metrics/infer"},
	"harness/curve":           {"harness/calc", "harness/radix", "metrics/infer"},
	"harness/dataset":         {"harness/spool"},
	"harness/dataset/builtin": {"harness/choice", "harness/dataset", "harness/seed"},
	"harness/dataset/files":   {"harness/regular", "harness/choice", "harness/dataset"},
	"harness/dataset/hub":     {"backends/httpfailure", "backends/redact", "harness/regular", "harness/dataset/hub/ref"},
	"harness/dataset/hub/ref": {},
	"harness/task":            {"harness/choice", "harness/dataset", "metrics", "metrics/grade"},
	"harness/confidence":      {"harness/calc", "harness/choice", "backends", "harness/curve"},
	"harness/cost":            {"harness/calc", "harness/choice", "backends", "metrics/infer"},
	"harness/policy":          {"harness/calc", "harness/choice", "harness/radix", "metrics/infer"},
	"harness/radix":           {},
	"harness/population":      {"harness/calc", "harness/curve", "harness/policy", "metrics/infer"},
	"harness/program":         {"backends", "backends/strictjson", "harness/regular", "harness/router"},
	"harness/doubt":           {"harness/calc", "metrics/infer"},
	"harness/question": {"harness/calc",
		"backends", "backends/wording", "harness/confidence", "harness/dataset", "harness/doubt",
		"harness/seed", "harness/split", "harness/spec", "harness/task", "metrics", "metrics/extract", "metrics/grade"},
	"harness/outcomes": {"harness/dataset", "harness/dataset/files", "harness/doubt", "harness/fault",
		"harness/policy", "sufficiency"},
	"harness/pool": {"harness/calc", "harness/policy/chain", "metrics/infer"},
	"harness/fitting": {"harness/fault", "harness/result", "harness/outcomes", "harness/policy",
		"harness/policy/deploy",
		"harness/policy/guarantee", "harness/pool", "harness/seed", "harness/split", "metrics",
		"metrics/infer"},
	"harness/routing": {"harness/dataset",
		"harness/confidence", "harness/dataset/files", "harness/fault", "harness/outcomes",
		"harness/policy/deploy", "harness/regular", "harness/seed"},
	"harness/decide": {"backends", "backends/decisions", "backends/openai", "harness/confidence", "harness/fault",
		"harness/routing"},
	"harness/routing/export": {"harness/choice", "harness/confidence", "harness/routing"},
	"harness/accept":         {"harness/fault", "harness/pipeline/folder", "harness/regular", "harness/result", "metrics"},
	"harness/certificate": {"harness/baseline", "harness/fault", "harness/pipeline/folder",
		"harness/policy/deploy", "harness/regular", "harness/result", "harness/store", "metrics", "metrics/infer"},
	"harness/compare": {"harness/accept", "harness/fault", "harness/result", "harness/seed", "metrics", "metrics/infer"},
	"harness/recorded": {"harness/calc", "backends",
		"backends/wording", "harness/confidence", "harness/cost", "harness/dataset", "harness/dataset/files",
		"harness/fault", "harness/store", "harness/task"},
	"harness/router": {"harness/calc",
		"harness/choice", "harness/confidence", "harness/curve", "harness/seed", "harness/split"},
	"harness/published": {"harness/baseline", "harness/result", "harness/result/note",
		"harness/spec", "harness/spec/place", "metrics/infer", "sufficiency"},
	"harness/result": {"harness/regular", "harness/pool", "harness/result/style", "metrics/infer", "sufficiency",
		"harness/fault"},
	"harness/result/style": {"harness/choice"},
	"harness/result/note":  {"harness/pool", "harness/result", "metrics/infer", "sufficiency"},
	"harness/serving":      {"backends", "backends/engine", "backends/engine/supervisor", "harness/fault"},
	"harness/spec": {"backends/engine", "harness/baseline", "harness/spec/place", "harness/regular", "harness/choice",
		"harness/population", "backends", "harness/dataset", "harness/dataset/hub/ref", "harness/task", "harness/confidence",
		"harness/cost", "harness/policy", "harness/policy/guarantee",
		"harness/result/style", "harness/router", "metrics", "metrics/extract", "sufficiency"},
	"harness/spec/place": {"harness/choice"},
	"harness/doctor":     {"backends", "harness/confidence"},
	"harness/importer": {"harness/dataset",
		"backends", "harness/dataset/files", "harness/recorded",
		"harness/spec", "harness/task"},
	"harness/batch": {"backends", "backends/httpfailure", "backends/strictjson", "harness/collect",
		"harness/fault", "harness/regular", "harness/spool", "harness/store"},
	"harness/slurm":   {"backends/engine", "harness/regular", "harness/spec"},
	"harness/store":   {"harness/regular", "harness/spool", "backends", "backends/redact"},
	"harness/collect": {"backends", "harness/cost", "harness/store"},
	"harness/records": {"backends", "harness/confidence", "harness/cost", "harness/dataset", "harness/policy",
		"harness/policy/chain", "harness/policy/guarantee", "harness/question", "harness/seed", "harness/spec",
		"harness/split", "harness/spool", "harness/store", "harness/task", "metrics", "sufficiency", "metrics/grade"},
	"harness/analyze": {"backends", "harness/baseline", "harness/calc", "harness/choice", "harness/confidence",
		"harness/cost", "harness/curve", "harness/doubt", "harness/policy", "harness/policy/chain", "harness/policy/deploy",
		"harness/policy/guarantee", "harness/pool", "harness/population", "harness/question", "harness/records",
		"harness/result", "harness/result/note", "harness/router", "harness/seed", "harness/spec", "harness/split",
		"harness/task", "metrics", "metrics/infer", "sufficiency"},
	"harness/pipeline": {"backends", "backends/engine", "backends/lexical",
		"backends/open", "backends/retry", "backends/wording",
		"experiments", "harness/analyze", "harness/batch", "harness/collect", "harness/cost",
		"harness/dataset",
		"harness/dataset/builtin", "harness/dataset/files", "harness/dataset/hub", "harness/doctor", "harness/fault",
		"harness/pipeline/folder", "harness/policy", "harness/program", "harness/published",
		"harness/question", "harness/recorded",
		"harness/records", "harness/regular", "harness/result", "harness/router", "harness/seed",
		"harness/serving", "harness/spec",
		"harness/split", "harness/store", "harness/task", "metrics/extract", "metrics/grade"},
	"harness/pipeline/folder": {"harness/analyze", "harness/fault", "harness/policy/deploy",
		"harness/regular", "harness/result",
		"harness/store", "reports", "reports/figure", "reports/page",
		"reports/tidy"},
	"docs": {},
	"harness/cli": {"docs", "harness/pool", "backends", "backends/engine", "backends/redact",
		"experiments", "harness/accept", "harness/analyze",
		"harness/batch", "harness/certificate", "harness/collect", "harness/compare",
		"harness/dataset", "harness/dataset/builtin", "harness/dataset/files", "harness/dataset/hub", "harness/fault",
		"harness/fitting", "harness/importer", "harness/outcomes", "harness/pipeline",
		"harness/pipeline/folder", "harness/policy", "harness/policy/guarantee",
		"harness/records", "harness/result", "harness/result/note", "harness/result/style",
		"harness/decide", "harness/routing", "harness/routing/export", "harness/slurm",
		"harness/spec", "harness/spec/place", "harness/store", "reports",
		"reports/table", "reports/tidy", "sufficiency",
		"harness/nights", "reports/ci", "reports/manuscript", "harness/regular"},

	"harness/policy/chain":     {"harness/calc", "harness/policy"},
	"harness/policy/deploy":    {"harness/curve", "harness/policy", "harness/policy/guarantee"},
	"harness/policy/guarantee": {"harness/calc", "harness/choice", "harness/policy"},

	"reports": {"harness/pool", "harness/calc", "harness/baseline", "harness/policy", "harness/policy/guarantee",
		"harness/result", "harness/result/note", "harness/result/style", "metrics/infer",
		"reports/table",
		"sufficiency", "sufficiency/pcm", "harness/fitting", "backends"},
	"reports/figure": {"harness/calc",
		"harness/baseline", "harness/result", "harness/result/note", "harness/result/style",
		"reports/table", "sufficiency"},
	"reports/manuscript": {"harness/result", "harness/result/style", "reports", "reports/figure", "reports/table"},
	"reports/page": {"docs",
		"harness/policy", "harness/result/style", "harness/result", "metrics/infer", "reports",
		"reports/figure", "reports/page/drill", "reports/table"},
	"reports/table": {},
	"reports/tidy":  {"harness/cost", "harness/result", "metrics", "reports/table"},

	"reports/page/drill": {"harness/baseline", "harness/cost", "harness/result", "reports"},

	"sufficiency": {"harness/calc",
		"harness/seed", "harness/split", "metrics/infer", "sufficiency/gbdt",
		"sufficiency/pcm"},
	"sufficiency/gbdt": {},
	"sufficiency/pcm":  {"harness/calc", "metrics/infer"},

	"harness/nights": {"harness/regular", "harness/store"},
	"reports/ci":     {"harness/compare", "reports/table"},

	"experiments": {},
}

// only says who alone may import a third-party or standard package.
var only = map[string][]string{
	"net/http": {"backends/backendtest", "backends/backendtest/fakeengine",
		"backends/httpfailure", "backends/openai", "backends/wire", "harness/dataset/hub",
		"harness/serving", // asks servers that it started for their health
		"harness/decide"}, // asks nobody: it serves, to this machine unless told otherwise
	"math/rand":                                {},
	"github.com/BurntSushi/toml":               {"harness/spec", "harness/policy/deploy"},
	"github.com/pelletier/go-toml/v2":          {"harness/spec/place"},
	"github.com/google/go-cmp/cmp":             {},
	"pgregory.net/rapid":                       {"harness/seed/steady"},
	"github.com/santhosh-tekuri/jsonschema/v6": {},
	"gonum.org/v1/plot":                        {"reports/figure"},
	"codeberg.org/go-pdf/fpdf":                 {"reports/figure"},
	"golang.org/x/image":                       {"reports/figure"},
	"github.com/olekukonko/tablewriter":        {"reports/table"},
	"github.com/alecthomas/kong":               {"harness/cli"},
	"github.com/parquet-go/parquet-go":         {"harness/dataset/files", "reports/tidy"},
	"github.com/klauspost/compress":            {"harness/recorded"},
	"github.com/hupe1980/go-huggingface":       {"backends/huggingface"},
	"github.com/tmc/langchaingo":               {"backends/hosted"},
	"google.golang.org/protobuf":               {"backends/runtime/spm"},
	// JSON that says one thing: members twice and texts that are no UTF-8 are refused
	"github.com/go-json-experiment/json": {"backends/strictjson", "harness/dataset/files", "harness/result",
		"harness/store"},
	"github.com/rogpeppe/go-internal": {},
	"go.yaml.in/yaml/v3":              {},
}

func TestImportsPointFromMainToTheLeaves(t *testing.T) {
	seen := map[string]bool{}
	imports := map[string][]string{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != "." || d.Name() == "testdata" || d.Name() == "runs") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		pkg := path.Dir(filepath.ToSlash(file))
		seen[pkg] = true
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if problem := judge(pkg, imported); problem != "" {
				t.Errorf("%s imports %s: %s", file, imported, problem)
			}
			if ours, ok := strings.CutPrefix(imported, "infnet/"); ok {
				imports[pkg] = append(imports[pkg], ours)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 20 {
		t.Errorf("only %d packages seen: the test does not look at the whole module", len(seen))
	}
	for pkg, list := range allowed {
		if !seen[pkg] {
			t.Errorf("the table lists %s, which is no package", pkg)
		}
		for _, p := range list {
			if !slices.Contains(imports[pkg], p) {
				t.Errorf("the table lets %s import %s, which it does not", pkg, p)
			}
		}
	}
}

// judge says what is wrong with pkg importing what is imported; "" is nothing.
func judge(pkg, imported string) string {
	if ours, ok := strings.CutPrefix(imported, "infnet/"); ok {
		list, ok := allowed[pkg]
		if !ok {
			return "package " + pkg + " is not in the table of imports_test.go"
		}
		if !slices.Contains(list, ours) {
			return "not allowed by the table of imports_test.go"
		}
		return ""
	}
	for module, users := range only {
		within := imported == module || module != "math/rand" && strings.HasPrefix(imported, module+"/")
		if within && !slices.Contains(users, pkg) {
			return "only for " + strings.Join(users, ", ") + " (none if empty)"
		}
	}
	return ""
}

func TestJudgeSeesWrongImports(t *testing.T) {
	for _, tt := range []struct {
		name, pkg, imported string
		wrong               bool
	}{
		{name: "a leaf reaching up", pkg: "metrics", imported: "infnet/harness/cli", wrong: true},
		{name: "analysis touching a backend", pkg: "harness/analyze", imported: "infnet/backends/local", wrong: true},
		{name: "analysis using statistics", pkg: "harness/analyze", imported: "infnet/metrics/infer"},
		{name: "an unlisted package", pkg: "harness/util", imported: "infnet/metrics", wrong: true},
		{name: "a socket outside backends", pkg: "harness/store", imported: "net/http", wrong: true},
		{name: "old random numbers", pkg: "harness/seed", imported: "math/rand", wrong: true},
		{name: "new random numbers", pkg: "harness/seed", imported: "math/rand/v2"},
		{name: "the command line opens no model itself", pkg: "harness/cli", imported: "infnet/backends/open", wrong: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := judge(tt.pkg, tt.imported); (got != "") != tt.wrong {
				t.Errorf("judge(%s, %s) = %q", tt.pkg, tt.imported, got)
			}
		})
	}
}
