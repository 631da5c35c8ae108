package manuscript

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"infnet/harness/fault"
)

// source is a manuscript with what it inputs, as one text. What is no text of a reader's (comments, verbatim, the
// arguments of references, lengths, displayed formulas) is blank, so that places stay what they are.
type source struct {
	text  string
	raw   string          // with formulas and arguments, for macros are there, too
	lines []line          // in the order of the text
	made  []made          // files among it that infnet wrote, which are not read
	open  map[string]bool // files that are being read: none is part of itself
}

// line says where a line begins in the text, and where it is from.
type line struct {
	at     int
	file   string
	number int // from 1
}

// made is a file that infnet wrote: its first lines say from which runs.
type made struct {
	from     place
	file     string
	comments []string
}

type place struct {
	File string
	Line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// inputs is at most how deep files are in each other, as LaTeX has it.
const inputs = 15

// read reads a manuscript. Files that it inputs are sought beside it, as LaTeX does where it is started there.
func read(path string) (*source, error) {
	s := &source{open: map[string]bool{}}
	var b strings.Builder
	if err := s.add(&b, filepath.Dir(path), path, place{}, 0); err != nil {
		return nil, err
	}
	s.raw, _, _ = strings.Cut(b.String(), `\end{document}`)
	s.text = blank(s.raw)
	return s, nil
}

var (
	inputCommand = regexp.MustCompile(`\\(?:(?:input|include|subfile)\s*\{([^{}]+)\}|input\s+([^\s{}\\]+)|` +
		`(?:sub)?import\*?\s*\{([^{}]*)\}\s*\{([^{}]+)\})`)
	madeBy    = regexp.MustCompile(`^% study .*; infnet .*; spec .*; answers `)
	verbatims = regexp.MustCompile(`\\(begin|end)\{(verbatim|Verbatim|lstlisting|minted|comment|filecontents)\*?\}`)
)

// add appends a file. A file that is inputted and missing is an error of LaTeX's to report, and is passed over.
func (s *source) add(b *strings.Builder, dir, path string, from place, depth int) error {
	data, err := os.ReadFile(path)
	if err != nil {
		if depth > 0 {
			return nil
		}
		return fault.Data.Wrap(fmt.Errorf("read the manuscript: %w", err))
	}
	if s.open[path] {
		return nil
	}
	s.open[path] = true
	defer delete(s.open, path)
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	if madeBy.MatchString(lines[0]) && depth > 0 {
		m := made{from: from, file: path}
		for i := 0; i < len(lines) && madeBy.MatchString(lines[i]); i++ {
			m.comments = append(m.comments, strings.TrimPrefix(lines[i], "% "))
		}
		s.made = append(s.made, m)
		return nil
	}
	verbatim := false
	for i, text := range lines {
		if !verbatim {
			text = uncommented(text)
		}
		if at := verbatims.FindStringSubmatch(text); at != nil {
			verbatim, text = at[1] == "begin", ""
		}
		if verbatim {
			text = ""
		}
		s.lines = append(s.lines, line{at: b.Len(), file: path, number: i + 1})
		for {
			at := inputCommand.FindStringSubmatchIndex(text)
			if at == nil || depth >= inputs {
				break
			}
			b.WriteString(text[:at[0]])
			part := func(k int) string { return strings.TrimSpace(text[max(0, at[2*k]):max(0, at[2*k+1])]) }
			name := filepath.Join(part(3), part(1)+part(2)+part(4))
			if !filepath.IsAbs(name) {
				name = filepath.Join(dir, name)
			}
			if _, err := os.Stat(name + ".tex"); err == nil || filepath.Ext(name) == "" { // as LaTeX
				name += ".tex"
			}
			if err := s.add(b, dir, name, place{path, i + 1}, depth+1); err != nil {
				return err
			}
			s.lines = append(s.lines, line{at: b.Len(), file: path, number: i + 1})
			text = text[at[1]:]
		}
		b.WriteString(text)
		b.WriteByte('\n')
	}
	return nil
}

func uncommented(text string) string {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '%':
			return text[:i]
		}
	}
	return text
}

// cites is a citation: its arguments are hidden, its command stays.
var cites = regexp.MustCompile(`(\\[a-zA-Z]*cite[a-zA-Z]*\*?)((?:\s*\[[^\]]*\])*\s*\{[^{}]*\})`)

var hidden = []*regexp.Regexp{
	regexp.MustCompile(`\\(?:documentclass|usepackage|RequirePackage|PassOptionsToPackage)(?:\[[^\]]*\])?\{[^{}]*\}`),
	regexp.MustCompile("\\\\(?:verb|lstinline)\\*?(?:\\|[^|\n]*\\||\\+[^+\n]*\\+|![^!\n]*!|\"[^\"\n]*\")"),
	regexp.MustCompile(`(?s)\\iffalse\b.*?\\fi\b`),
	regexp.MustCompile(`\\(?:label|ref|eqref|autoref|[cC]ref|[pP]ageref|nameref|nocite|bibliography|` +
		`bibliographystyle|includegraphics|url|href|vspace|hspace|setlength|addtolength|setcounter|definecolor|hypersetup|` +
		`geometry|title|author|date|newcommand|renewcommand|def)\*?(?:\[[^\]]*\])*(?:\{[^{}]*\})+`),
	regexp.MustCompile(`(?s)\\begin\{(equation|align|gather|multline|displaymath|eqnarray|tikzpicture|algorithmic)\*?\}` +
		`.*?\\end\{(?:equation|align|gather|multline|displaymath|eqnarray|tikzpicture|algorithmic)\*?\}`),
	regexp.MustCompile(`(?s)(?:^|[^\\])\\\[.*?\\\]`), // and not the \\[2pt] that ends a line
	regexp.MustCompile(`\\begin\{[a-zA-Z*]+\}(?:\[[^\]]*\])*(?:\{[^{}]*\})*|\\end\{[a-zA-Z*]+\}`),
	regexp.MustCompile(`\[?-?[0-9.]+\s*(?:pt|em|ex|cm|mm|in|bp|\\(?:text|line|column|paper)width|\\textheight|\\baselineskip)\b\]?`),
}

// percentMacro defines a macro that is a percent sign.
var percentMacro = regexp.MustCompile(`\\(?:new|renew|provide)command\*?\s*\{?(\\[A-Za-z]+)\}?\s*` +
	`\{(?:\\[,;: ]|[~\s])*\\%(?:\\xspace)?\s*\}`)

// blank puts spaces for what is no text, and percent signs for macros that are one.
func blank(text string) string {
	for _, m := range percentMacro.FindAllStringSubmatch(text, -1) {
		text = regexp.MustCompile(regexp.QuoteMeta(m[1])+`\b`).ReplaceAllStringFunc(text, func(found string) string {
			return `\%` + strings.Repeat(" ", len(found)-2)
		})
	}
	text = cites.ReplaceAllStringFunc(text, func(found string) string {
		at := cites.FindStringSubmatchIndex(found)
		return found[:at[3]] + spaces(found[at[3]:])
	})
	for _, r := range hidden {
		text = r.ReplaceAllStringFunc(text, spaces)
	}
	return text
}

// spaces are as long as a text, in lines as it is.
func spaces(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || c > 127 {
			return c // a rune has its length
		}
		return ' '
	}, text)
}

func (s *source) place(at int) place {
	i, _ := slices.BinarySearchFunc(s.lines, at+1, func(l line, at int) int { return l.at - at })
	if i == 0 {
		return place{}
	}
	return place{s.lines[i-1].file, s.lines[i-1].number}
}

type span struct{ from, to int }

var sentenceEnd = regexp.MustCompile(`[.!?][)}'"]*(?:\s|$)|\n[ \t]*\n|\\\\|\\item\b|\\(?:sub)*section\*?\{|\\paragraph\{|` +
	`\\caption(?:\[[^\]]*\])?\{`)

// abbreviations end with a point that ends no sentence.
var abbreviations = regexp.MustCompile(`(?i)(?:e\.g|i\.e|cf|vs|resp|fig|figs|tab|sec|eq|eqs|app|al|no|approx|ca)\.$`)

func (s *source) sentences() (out []span) {
	from := 0
	for _, at := range sentenceEnd.FindAllStringIndex(s.text, -1) {
		if abbreviations.MatchString(s.text[max(from, at[0]-8):min(at[0]+1, len(s.text))]) {
			continue
		}
		out = append(out, span{from, at[1]})
		from = at[1]
	}
	return append(out, span{from, len(s.text)})
}
