package ci

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infnet/harness/compare"
)

var update = flag.Bool("update", false, "write the golden files anew")

// forms are what is written of a night.
func forms(t *testing.T, n *Night) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for name, form := range map[string]func(io.Writer, *Night) error{JUnitFile: JUnit, SummaryFile: Summary,
		"annotation.txt": Annotation} {
		var b bytes.Buffer
		if err := form(&b, n); err != nil {
			t.Fatal(err)
		}
		out[name] = b.Bytes()
	}
	return out
}

// The forms of a night with every verdict there is.
func TestGolden(t *testing.T) {
	for name, got := range forms(t, night()) {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (go test -update writes it)", err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("%s is another one:\n%s", name, got)
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

func TestJUnit(t *testing.T) {
	bare := func(v compare.Verdict, incomplete bool) *Night {
		return &Night{Comparison: &compare.Comparison{Study: "nightly", Verdict: v, Summary: "x", Incomplete: incomplete},
			Date: "2026-03-09"}
	}
	for _, tt := range []struct {
		name  string
		night *Night
		want  counts
	}{
		{"every verdict", night(), counts{tests: 4, failures: 1, skipped: 1}}, // the fixture's
		{"nothing but a verdict", bare(compare.Same, false), counts{tests: 1}},
		{"nothing but worse", bare(compare.Worse, false), counts{tests: 1, failures: 1}},
		{"no results", bare(compare.Uncomparable, true), counts{tests: 1, errors: 1}},
	} {
		data := forms(t, tt.night)[JUnitFile]
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

// No name ends an attribute, a line of a list or a command, whatever it is.
func TestHostileNames(t *testing.T) {
	lines := bytes.Count(forms(t, night())[SummaryFile], []byte("\n"))
	tag := regexp.MustCompile(`<[^<>]*>`)
	for _, name := range hostile {
		t.Run(fmt.Sprintf("%.20q", name), func(t *testing.T) {
			n := night()
			c := n.Comparison
			c.Study, c.Summary, c.Old.Name, c.Old.Because, n.Place, c.Remarks[0] = name, name, name, name, name, name
			for i := range c.Quantities {
				q := &c.Quantities[i]
				q.Cascade, q.Dataset, q.Policy, q.Metric, q.Title = name, name, name, name, name
			}
			c.Causes[0].Name, c.Moved[0].Who, c.Moved[0].First[0] = name, name, name
			got := forms(t, n)
			valid(t, got[JUnitFile])
			parsed(t, got[JUnitFile])
			summary := string(got[SummaryFile])
			if found := tag.FindString(summary); found != "" || strings.Count(summary, "\n") > lines ||
				strings.Contains(strings.ReplaceAll(summary, `\]`, ""), "](") {
				t.Errorf("the summary has %q, a link, or more lines than %d:\n%s", found, lines, summary)
			}
			if !regexp.MustCompile(`^::error title=[^:,\r\n]*::[^\r\n]*\n$`).Match(got["annotation.txt"]) {
				t.Errorf("annotation %q", got["annotation.txt"])
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
	n := night()
	c := n.Comparison
	for i := range 1000 {
		c.Quantities = append(c.Quantities, quantity(fmt.Sprint("dataset ", i), strings.Repeat("p", 300), 0.1, 0.2,
			compare.Worse))
		c.Moved, c.Causes = append(c.Moved, c.Moved[0]), append(c.Causes, c.Causes[0])
	}
	if b := forms(t, n)[SummaryFile]; len(b) > 100_000 {
		t.Errorf("a summary of %d bytes", len(b))
	}
}
