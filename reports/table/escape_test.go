package table

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// nasty seeds the fuzzers.
var nasty = []string{
	"", " ", "plain", "A&B_%$#{}~^\\ | <b> \x1b[31m", `\input{/etc/passwd}`, "\\\\[2em]", "[x](javascript:alert(1))",
	"a\nb\r\nc\td",
	"größer Ångström ñandú Łódź ő ș", "中文", "مرحبا \u202e\u2066evil\u2069", "e\u0301\u0328", "\u0301alone", "ﬁ…—–“”",
	"α ≤ β → ∞",
	"\x1b]0;title\x07x", "\x1bPq#0\x1b\\y", "\u009b2Jx", "\x00\x7f\x85", "\xff\xfe", "=1+1", "+1", "-1", "@x", "\tx", "＝1",
	"```x```", "<!-- -->", "&amp;", "www.x.com http://x @me #1 ![i](u)", "--", "''", "👩‍👩‍👧", "\u2028x\u2029",
	"\U000e0041", "**", "it's",
}

func seed(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
}

func TestEscapers(t *testing.T) {
	for _, c := range []struct {
		name, in, latex, markdown string // by hand
	}{
		{"specials", `A&B_%$#{}~^\|<>`,
			`A\&B\_\%\textup{\$}\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}\textbar{}\textless{}\textgreater{}`,
			`A&amp;B\_%\$\#\{\}\~^\\\|&lt;&gt;`},
		{"accents", "Größe Ångström ő", `Gr\"{o}\ss{}e \r{A}ngstr\"{o}m \H{o}`, "Größe Ångström ő"},
		{"a decomposed accent", "e\u0301", `\'{e}`, "e\u0301"},
		{"an accent OT1 lacks", "ą", "[U+0105]", "ą"},
		{"two accents", "e\u0301\u0323", "[U+1EB9][U+0301]", "e\u0301\u0323"},
		{"no Latin", "退款", "[U+9000][U+6B3E]", "退款"},
		{"mathematics", "θ ≥ ∞", `$\theta$ $\geq$ $\infty$`, "θ ≥ ∞"},
		{"ligatures", "a--b---c ``d''", `a-{}-b-{}-{}-c \textquoteleft{}\textquoteleft{}d'{}'`, "a--b---c \\`\\`d''"},
		{"lines", "a\r\nb\tc\u2028d", "a b c d", "a b c d"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red", "red"},
		{"title and hyperlink", "\x1b]0;pwned\x07x\x1b]8;;http://e\x1b\\y", "xy", "xy"},
		{"direction", "\u202eabc\u202c\u2066d\u2069\u200f", "abcd", "abcd"},
		{"not UTF-8", "a\xffb", "a[U+FFFD]b", "a\uFFFDb"},
		{"links", "http://x www.y @z", "http://x www.y @z", "http&#58;//x www&#46;y &#64;z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := LaTeX(c.in); got != c.latex {
				t.Errorf("LaTeX(%q)\n got %s\nwant %s", c.in, got, c.latex)
			}
			if got := Markdown(c.in); got != c.markdown {
				t.Errorf("Markdown(%q)\n got %s\nwant %s", c.in, got, c.markdown)
			}
		})
	}
}

// What single texts become, by hand.
func TestTexts(t *testing.T) {
	for name, tt := range map[string]struct {
		of   func(string) string
		want map[string]string
	}{
		"slug": {Slug, map[string]string{"tab:Qwen2.5-7B→gemma": "tab:qwen2.5-7b-gemma", "../../etc/passwd": "etc-passwd",
			"tab:.hidden": "tab:hidden", "a..b.": "a-b", "": "x", "退款": "x", "CON": "con", "a_b c": "a-b-c"}},
		"guard": {Guard, map[string]string{"": "", "x": "x", "1": "1", "=1": "'=1", "+1": "'+1", "-1": "'-1", "@x": "'@x",
			"\tx": "'\tx", "\rx": "'\rx", "＝1": "'＝1", "'": "'"}},
		// Parts of a text keep one space at their ends; letters whose last byte looks like one (à ends in 0xA0) gain none.
		"part": {cleanPart, map[string]string{"": "", " ": " ", "\n\t": " ", " a": " a", "a  ": "a ", "voilà": "voilà",
			"à la ": "à la ", "\x1b[1m": ""}},
	} {
		for in, want := range tt.want {
			if got := tt.of(in); got != want {
				t.Errorf("%s of %q is %q, want %q", name, in, got, want)
			}
		}
	}
}

func FuzzClean(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		c := Clean(s)
		if !utf8.ValidString(c) {
			t.Fatalf("Clean(%q) = %q is not UTF-8", s, c)
		}
		for _, r := range c {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.IsSpace(r) && r != ' ' {
				t.Fatalf("Clean(%q) = %q holds %U", s, c, r)
			}
		}
		if again := Clean(c); again != c {
			t.Fatalf("Clean is not stable: %q, then %q", c, again)
		}
	})
}

func FuzzEscapers(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		out := LaTeX(s)
		depth, dollars := 0, 0
		for i := 0; i < len(out); i++ {
			switch c := out[i]; c {
			case '\\':
				i++ // a command or an escaped character
				if i == len(out) || out[i] == '\\' {
					t.Fatalf("LaTeX(%q) = %q ends in a backslash or breaks the line", s, out)
				}
			case '{':
				depth++
			case '}':
				if depth--; depth < 0 {
					t.Fatalf("LaTeX(%q) = %q closes a brace it did not open", s, out)
				}
			case '$':
				dollars++
			case '%', '#', '&', '_':
				t.Fatalf("LaTeX(%q) = %q holds a bare %c", s, out, c)
			case '^':
				if dollars%2 == 0 {
					t.Fatalf("LaTeX(%q) = %q holds ^ outside mathematics", s, out)
				}
			default:
				if c < ' ' || c > '~' {
					t.Fatalf("LaTeX(%q) = %q is not printable ASCII", s, out)
				}
			}
		}
		if depth != 0 || dollars%2 != 0 {
			t.Fatalf("LaTeX(%q) = %q does not balance", s, out)
		}
		md := Markdown(s)
		bare := regexp.MustCompile(`\\.`).ReplaceAllString(md, "") // without what is escaped
		if strings.ContainsAny(md, "<>\n\r@") || strings.Contains(md, "://") || strings.ContainsAny(bare, "\\|`*_[]~$!") {
			t.Fatalf("Markdown(%q) = %q lets HTML, a line break, a link or a bare sign through", s, md)
		}
	})
}

// FuzzTable puts a text into every place of a table: no format may gain a row
// or a column by it.
func FuzzTable(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		tab := Table{
			Caption: Text{Plain(s), Name(s)}, Label: s,
			Columns: []Column{{Head: Words(s), Fields: []string{"a"}, Merge: true}, {Head: Words(s), Fields: []string{"b"}}},
			Groups:  [][]Row{{{Of(Plain(s)), Of(Name(s))}, {Of(Plain(s)), Of(Plain(s).Bold())}}},
		}
		tab.Groups[0][0][0].Mark(tab.Note(s, s))
		tab.Remark(Plain(s))
		var md, tex, out, term bytes.Buffer
		for _, err := range []error{tab.Markdown(&md), tab.LaTeX(&tex), tab.CSV(&out), tab.Terminal(&term, Look{Width: 30})} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(md.String(), "\n|"); n != 4 {
			t.Fatalf("%q: %d lines of a Markdown table, want 4:\n%s", s, n, md.String())
		}
		above := strings.Count(tex.String(), "\\multicolumn{") // a line of its own in wide tables
		if n := strings.Count(tex.String(), " \\\\\n") - above; n != 3 {
			t.Fatalf("%q: %d rows of LaTeX, want 3:\n%s", s, n, tex.String())
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) != 3 {
			t.Fatalf("%q: CSV gives %d records and error %v", s, len(rows), err)
		}
		for _, r := range rows[1:] {
			for _, v := range r {
				if v != "" && strings.ContainsAny(v[:1], "=+-@\t\r|%") {
					t.Fatalf("%q: CSV field %q begins a formula", s, v)
				}
			}
		}
		for _, r := range term.String() {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Fatalf("%q: the terminal gets %U", s, r)
			}
		}
	})
}
