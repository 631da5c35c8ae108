package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Markdown writes the table for GitHub-flavoured Markdown: the caption, a pipe
// table, the remarks and the footnotes. Merged cells are blank below their
// first row, as Markdown has no row spans.
func (t *Table) Markdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", t.Caption.format(markdownPart))
	g := t.grid(func(c Cell) string {
		s := c.Text.format(markdownPart)
		if m := c.marks(); m != "" {
			s += "<sup>" + m + "</sup>"
		}
		return s
	})
	if err := g.markdown(&b); err != nil {
		return fmt.Errorf("markdown table %s: %w", t.Label, err)
	}
	for _, r := range t.Remarks {
		fmt.Fprintf(&b, "\n%s\n", r.format(markdownPart))
	}
	for i, n := range t.notes() {
		fmt.Fprintf(&b, "\n<sup>%s</sup> %s\n", letters(i), Markdown(n.Text))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// markdownPart writes one part.
func markdownPart(p Part) string {
	s := markdownEscape(cleanPart(p.str))
	switch p.kind {
	case number:
		s = p.number.value()
	case sub:
		s = "<sub>" + s + "</sub>"
	}
	if p.bold && s != "" {
		s = "**" + s + "**"
	}
	if p.kind == number {
		if i := p.number.interval(); i != "" {
			s += " " + i
		}
	}
	return s
}

// Markdown cleans and escapes a text so that it is shown literally in a
// Markdown paragraph or table cell: no markup, HTML, link, mention or line
// break survives.
func Markdown(s string) string { return markdownEscape(Clean(s)) }

func markdownEscape(s string) string {
	return markdownSpecials.Replace(s)
}

// markdownSpecials: punctuation with a meaning gets a backslash, what HTML
// would read becomes an entity, and so does what GitHub turns into links and
// mentions by itself.
var markdownSpecials = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `{`, `\{`, `}`, `\}`, `[`, `\[`, `]`, `\]`,
	`|`, `\|`, `~`, `\~`, `$`, `\$`, `#`, `\#`, `!`, `\!`,
	`<`, `&lt;`, `>`, `&gt;`, `&`, `&amp;`,
	`://`, `&#58;//`, `www.`, `www&#46;`, `WWW.`, `WWW&#46;`, `@`, `&#64;`,
)
