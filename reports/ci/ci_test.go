package ci

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infnet/harness/compare"
	"infnet/harness/nights"
	"infnet/harness/result/style"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The files of a night with every verdict there is.
func TestGolden(t *testing.T) {
	n := night(t, 20)
	var annotations bytes.Buffer
	if err := Annotations(&annotations, n); err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{"annotations.txt": annotations.Bytes()}
	_, err := Write("", n, func(path string, data []byte) error { got[path] = data; return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{JUnitFile, SummaryFile, JSONFile, "annotations.txt"} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got[name], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (go test -update writes it)", err)
		}
		if !bytes.Equal(want, got[name]) {
			t.Errorf("%s is another one:\n%s", name, got[name])
		}
	}
	for _, name := range []string{"trend.svg", "trend.pdf"} {
		if len(got[name]) < 10_000 {
			t.Errorf("%s has %d bytes", name, len(got[name]))
		}
	}
}

// counts are numbers of tests, failures, errors and skipped ones.
type counts struct{ tests, failures, errors, skipped int }

// parsed reads JUnit XML back, checks what its suites count, and counts over all.
func parsed(t *testing.T, data []byte) (all counts) {
	t.Helper()
	var out junitSuites
	if err := xml.Unmarshal(data, &out); err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	for i, s := range out.Suites {
		got := counts{tests: len(s.Cases)}
		for _, c := range s.Cases {
			switch {
			case c.Failure != nil:
				got.failures++
			case c.Error != nil:
				got.errors++
			case c.Skipped != nil:
				got.skipped++
			}
			if c.Name == "" || c.Class == "" {
				t.Errorf("a case without a name in %s", s.Name)
			}
		}
		if says := (counts{s.Tests, s.Failures, s.Errors, s.Skipped}); s.ID != i || says != got {
			t.Errorf("suite %d says %+v, and has %+v", s.ID, says, got)
		}
		all = counts{all.tests + got.tests, all.failures + got.failures, all.errors + got.errors, all.skipped + got.skipped}
	}
	return all
}

// valid checks JUnit XML against the schema, where xmllint is.
func valid(t *testing.T, data []byte) {
	t.Helper()
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Log("xmllint is not on the PATH: the schema is not checked")
		return
	}
	path := filepath.Join(t.TempDir(), JUnitFile)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(lint, "--noout", "--schema", "testdata/junit.xsd", path).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func junit(t *testing.T, n *Night) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := JUnit(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestJUnit(t *testing.T) {
	bare := func(v compare.Verdict) *Night {
		return &Night{Comparison: &compare.Comparison{Study: "nightly", Verdict: v, Summary: "All bytes are equal."},
			Date: "2026-03-09"}
	}
	for _, tt := range []struct {
		name  string
		night *Night
		want  counts
	}{
		{"every verdict", night(t, 5), counts{tests: 8, failures: 1, errors: 1, skipped: 2}}, // the fixture's
		{"without a history", night(t, 0), counts{tests: 8, failures: 1, errors: 1, skipped: 2}},
		{"nothing but a verdict", bare(compare.Same), counts{tests: 1}},
		{"nothing but worse", bare(compare.Worse), counts{tests: 1, failures: 1}},
		{"nothing but incomplete", bare(compare.Incomplete), counts{tests: 1, errors: 1}},
	} {
		data := junit(t, tt.night)
		valid(t, data)
		if got := parsed(t, data); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// Names that would be markup, commands or nothing at all.
var hostile = []string{
	"", " ", "]]>", "</testsuite>", `" onload="x`, "<script>alert(1)</script>", "<!-- -->", "&amp;&#0;",
	"a\n::error::forged", "::set-env name=PATH::/tmp", "\r::add-mask::x", "##[error]x", "%0A::warning::x", "a,file=b:c",
	"|", "x | y |\n|---|", "`code`", "[a](https://example.org)", "![a](http://e/x.png)", "# head", "- [ ] task", "**b**",
	"</details>", "@user", "https://example.org", "\x00\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "a\u202Eb", "\xff\xfe",
	"\ufffe",
	"\u2028line", strings.Repeat("long", 5000), "$(rm -rf /)", "${{ github.token }}", "日本語", "e\u0301",
}

func hostileNight(t *testing.T, name string) *Night {
	n := night(t, 4)
	c := n.Comparison
	c.Study, c.Summary, c.Old.Name, c.Old.Because = name, name, name, name
	for i := range c.Quantities {
		q := &c.Quantities[i]
		q.Cascade, q.Dataset, q.Policy, q.Metric = name, name, name, name
	}
	for _, places := range [][]compare.Place{c.Incomplete, c.Added, c.Gone} {
		places[0] = compare.Place{Cascade: name, Dataset: name + "2", Policy: name}
	}
	c.Causes[0].Text, c.Moved[0].ID, c.Moved[0].From, c.Remarks[0] = name, name, name, name
	n.Look.Note = name
	for i := range n.History.Nights {
		h := &n.History.Nights[i]
		h.Study, h.Why, h.Verdict = name, name, name
		for j := range h.Quantities {
			h.Quantities[j].Cascade, h.Quantities[j].Dataset, h.Quantities[j].Policy = name, name, name
		}
	}
	return n
}

// No name ends an attribute, a table row or a command, whatever it is.
func TestHostileNames(t *testing.T) {
	plain := night(t, 4)
	plain.Look.Note = "a note"
	rows := func(n *Night) (lines, cells int) {
		var b bytes.Buffer
		if err := Summary(&b, n); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			lines++
			if strings.HasPrefix(line, "| ") {
				cells += strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			}
		}
		return lines, cells
	}
	wantLines, wantCells := rows(plain)
	tag := regexp.MustCompile(`<[^<>]*>`)
	for _, name := range hostile {
		t.Run(fmt.Sprintf("%.20q", name), func(t *testing.T) {
			n := hostileNight(t, name)
			data := junit(t, n)
			valid(t, data)
			parsed(t, data)
			if lines, cells := rows(n); cells != wantCells || lines > wantLines {
				t.Errorf("a summary of %d lines and %d cell borders, want %d and %d", lines, cells, wantLines, wantCells)
			}
			var b bytes.Buffer
			if err := Summary(&b, n); err != nil {
				t.Fatal(err)
			}
			for _, found := range tag.FindAllString(b.String(), -1) {
				switch found {
				case "<details>", "</details>", "<summary>", "</summary>":
				default:
					t.Errorf("the summary has %s", found)
				}
			}
			if strings.Contains(strings.ReplaceAll(b.String(), `\]`, ""), "](") || strings.Count(b.String(), "</details>") != 1 {
				t.Errorf("the summary has a link or ends its details early:\n%s", b.String())
			}
			b.Reset()
			if err := Annotations(&b, n); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if !regexp.MustCompile(`^::(error|warning) title=[^:,\r\n]*::[^\r\n]*\n$`).MatchString(line) {
					t.Errorf("annotation %q", line)
				}
			}
			f, ok := Trend(n.History, n.Comparison.PolicyTitle)
			if !ok {
				t.Fatal("no trend")
			}
			svg, err := f.Draw(style.SVG)
			if err != nil {
				t.Fatal(err)
			}
			if err := xml.Unmarshal(svg, new(struct{})); err != nil {
				t.Errorf("the trend is no XML: %v", err)
			}
			if _, err := JSON(n); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a runner reads back is what was meant: it replaces %25, %0D, %0A, %3A and %2C.
func TestCommandEscapes(t *testing.T) {
	const want = "::error title=a%3A b%2C 100 %25::50 %25 of a,b: %250A is no line end\n" // a newline being a space
	if got := Command("error", "a: b, 100 %", "50 % of a,b: %0A is no line\nend"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A night with a thousand of everything stays within what GitHub shows.
func TestLargeNight(t *testing.T) {
	n := night(t, 30)
	c := n.Comparison
	for i := range 1000 {
		q := quantity(fmt.Sprint("dataset ", i), strings.Repeat("p", 300), "error", 0.1, 0.2, compare.Worse)
		c.Quantities = append(c.Quantities, q)
		c.Gone = append(c.Gone, compare.Place{Cascade: "c", Dataset: fmt.Sprint(i)})
		c.Moved = append(c.Moved, c.Moved[0])
		c.Causes = append(c.Causes, c.Causes[0])
	}
	var b bytes.Buffer
	if err := Summary(&b, n); err != nil || b.Len() > 100_000 {
		t.Errorf("a summary of %d bytes, %v", b.Len(), err)
	}
	b.Reset()
	if err := Annotations(&b, n); err != nil {
		t.Fatal(err)
	}
	if e, w := strings.Count("\n"+b.String(), "\n::error "), strings.Count(b.String(), "\n::warning "); e != 10 ||
		w != 10 {
		t.Errorf("%d errors and %d warnings, want 10 of each", e, w)
	}
	if !strings.Contains(b.String(), "::and 992 more: see the summary") { // 1,001 worse ones, 9 of them shown
		t.Errorf("how many are left out is not said:\n%s", b.String())
	}
}

// A year of nights, and one night, are drawn.
func TestTrendOfManyNights(t *testing.T) {
	for _, count := range []int{1, 365} {
		h, _ := history(t, count)
		f, ok := Trend(h, (&compare.Comparison{}).PolicyTitle)
		if _, err := f.Draw(style.SVG); !ok || len(f.Panels) != 4 || err != nil {
			t.Errorf("%d nights: %d panels, %v", count, len(f.Panels), err)
		}
	}
	if _, ok := Trend(&nights.History{}, nil); ok {
		t.Error("no nights are drawn")
	}
}
