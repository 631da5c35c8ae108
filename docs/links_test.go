package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// everyPage is all Markdown of the project but what tests and programs write.
func everyPage(t *testing.T) (out []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || name == "runs" || len(name) > 2 && name[0] == '.'):
			return filepath.SkipDir
		case filepath.Ext(name) == ".md":
			out = append(out, path)
		}
		return nil
	})
	if err != nil || len(out) < 40 {
		t.Fatalf("%d pages: %v", len(out), err)
	}
	return out
}

// prose is a page's lines without those of fenced blocks.
func prose(text string) (out []string) {
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		mark := regexp.MustCompile("^ *(```+|~~~+)").FindStringSubmatch(line)
		switch {
		case fence == "" && mark != nil:
			fence = mark[1]
		case fence != "":
			if mark != nil && strings.HasPrefix(mark[1], fence) {
				fence = ""
			}
		default:
			out = append(out, line)
		}
	}
	return out
}

var (
	heading  = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	link     = regexp.MustCompile(`\]\(([^)\s#:]*)(?:#([^)\s]*))?\)`)
	linkText = regexp.MustCompile(`!?\[([^]]*)\]\([^)]*\)`)
	htmlTag  = regexp.MustCompile(`</?[a-zA-Z][^>]*>`)
	named    = regexp.MustCompile(`<[a-z]+ [^>]*\b(?:id|name)="([^"]+)"`)
	code     = regexp.MustCompile("`+[^`]*`+")
)

// slug is the anchor that GitHub gives a heading: its text in lower case, of which letters, digits, underscores and
// hyphens are kept and spaces become hyphens.
func slug(text string) string {
	text = htmlTag.ReplaceAllString(linkText.ReplaceAllString(text, "$1"), "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(text))
}

// anchors are the places of a page that links can name. A heading that is there already gets a number.
func anchors(text string) (out []string) {
	for _, line := range prose(text) {
		for _, m := range named.FindAllStringSubmatch(line, -1) {
			out = append(out, m[1])
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			base := slug(m[1])
			name := base
			for i := 1; slices.Contains(out, name); i++ {
				name = fmt.Sprintf("%s-%d", base, i)
			}
			out = append(out, name)
		}
	}
	return out
}

// broken lists the links of a page that lead to no file, or to no heading of a page.
func broken(page string) (out []string, links int, err error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return nil, 0, err
	}
	for _, line := range prose(string(text)) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(line, "code"), -1) {
			to := page
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(page), m[1])
			}
			links++
			info, err := os.Stat(to)
			if err != nil {
				out = append(out, err.Error())
				continue
			}
			if info.IsDir() {
				to = filepath.Join(to, "README.md")
			}
			if m[2] == "" || filepath.Ext(to) != ".md" {
				continue
			}
			target, err := os.ReadFile(to)
			if err != nil {
				out = append(out, err.Error())
			} else if !slices.Contains(anchors(string(target)), m[2]) {
				out = append(out, fmt.Sprintf("%s has no heading #%s", to, m[2]))
			}
		}
	}
	return out, links, nil
}

// Links between pages lead to files and headings that are there.
func TestLinks(t *testing.T) {
	total := 0
	for _, page := range everyPage(t) {
		list, links, err := broken(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range list {
			t.Errorf("%s: %s", page, b)
		}
		total += links
	}
	if total < 100 {
		t.Errorf("only %d links were found", total)
	}
}

// The anchors of headings, as GitHub makes them.
func TestAnchors(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		want       []string
	}{
		{"words", "# Read the results\n", []string{"read-the-results"}},
		{"punctuation", "## At equal cost, at equal error: why?\n", []string{"at-equal-cost-at-equal-error-why"}},
		{"what is dropped leaves both spaces", "## Fit & test – parts\n", []string{"fit--test--parts"}},
		{"code, underscores and hyphens", "### `[split] fit_part-2`\n", []string{"split-fit_part-2"}},
		{"letters of other alphabets", "# Größe Δ\n", []string{"größe-δ"}},
		{"a link's text", "# See [the page](a.md#b) now\n", []string{"see-the-page-now"}},
		{"closed", "## Closed ##\n", []string{"closed"}},
		{"equal ones are counted", "# A\n## A\n# B\n### A\n", []string{"a", "a-1", "b", "a-2"}},
		{"a number that is taken", "# A\n# A 1\n# A\n", []string{"a", "a-1", "a-2"}},
		{"blocks have none", "```sh\n# no heading\n```\n# A\n", []string{"a"}},
		{"a longer fence", "````md\n```\n# no\n```\n````\n# A\n", []string{"a"}},
		{"named places", "<a id=\"here\"></a>\n#hashtag\n", []string{"here"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := anchors(tt.page); !slices.Equal(got, tt.want) {
				t.Errorf("anchors %q, want %q", got, tt.want)
			}
		})
	}
}

// A link to a missing file or heading is found; one in code, and one to another site, is none.
func TestBrokenLinks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.md": "# Here\n[1](b.md) [2](b.md#there) [3](#here) [4](b.md#gone) [5](#gone) [6](c.md)\n" +
			"`[7](c.md)` [8](https://example.org/#x)\n```\n[9](c.md)\n```\n",
		"b.md": "# There\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, links, err := broken(filepath.Join(dir, "a.md"))
	if err != nil || links != 6 || len(list) != 3 || !strings.HasSuffix(list[0], "b.md has no heading #gone") ||
		!strings.HasSuffix(list[1], "a.md has no heading #gone") || !strings.Contains(list[2], "c.md") {
		t.Errorf("%d links, broken: %q, %v", links, list, err)
	}
}
