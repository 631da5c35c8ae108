// Package reports turns results into the tables of a paper. It owns which tables there are, which rows, columns and
// footnotes they have, and the files they are written to; numbers are rounded and texts escaped by reports/table. It
// refuses to compute: every number comes from the results. Its opinion: a caveat belongs under the table that needs it,
// and a table says what it was made from.
package reports

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// Tables returns the study's tables, one for each question, in this order: what came out; what every policy came to,
// and loses at the price of an error; ours against the others; whom chains ask; the spread over repeated splits; what
// comes of other settings; what is fitted on one domain and used on another; how good each model and its confidence
// are; what else tells right answers, and which such signal adds to which; whether the confidence is sufficient; what
// the models of pools are worth; how far a published table is away; which records the numbers rest on. Cascades, pairs
// and datasets are rows. A table without rows is left out.
func Tables(s *result.Results) []table.Table {
	all := []table.Table{outcomes(s), policies(s), losses(s), against(s), stages(s), repeats(s)}
	for i := range s.Grid {
		all = append(all, grid(s, &s.Grid[i]))
	}
	all = append(all, transfers(s), models(s), signals(s), addedSignals(s), Sufficiency(s), pools(s))
	all = append(append(all, publishedTables(s)...), data(s))
	all = slices.DeleteFunc(all, func(t table.Table) bool { return len(t.Columns) == 0 })
	who := standIns(s)
	files := map[string]int{}
	for i := range all {
		t := &all[i]
		if paperLayout(s) {
			asPaper(t)
		}
		if len(s.Style.Titles) > 0 {
			t.Rename(s.Style.Title)
		}
		if who != nil { // what a reader must know first
			t.Caption = append(table.Text{table.Plain("STAND-IN MODELS.").Bold(), table.Plain(" ")}, t.Caption...)
			t.Remarks = append([]table.Text{who}, t.Remarks...)
		}
		// Short names, which can be cited, all different. The files of a study are in a folder of their own, so that
		// only labels hold the study's name.
		t.File = t.Kind
		if files[t.Kind]++; files[t.Kind] > 1 {
			t.File += "-" + strconv.Itoa(files[t.Kind])
		}
		t.Label = "tab:" + table.Segment(s.Name) + "-" + t.File
	}
	return all
}

// standIns says which models stood in for which; nil where none did.
func standIns(s *result.Results) table.Text {
	models := s.StandInModels()
	if len(models) == 0 {
		return nil
	}
	var order []string
	stoodFor := map[string][]string{}
	for _, x := range models {
		if stoodFor[x.Model] == nil {
			order = append(order, x.Model)
		}
		if !slices.Contains(stoodFor[x.Model], x.For) {
			stoodFor[x.Model] = append(stoodFor[x.Model], x.For)
		}
	}
	who := table.Text{table.Plain("Stand-in models: ")}
	for i, name := range order {
		if i > 0 {
			who = append(who, table.Plain("; "))
		}
		who = append(who, table.Name(name), table.Plain(" stood in for "+strings.Join(stoodFor[name], " and ")))
	}
	return append(who, table.Plain(". The numbers say nothing of the models that the study is about."))
}

// Screen says how results are written for a terminal.
type Screen struct {
	Width int  // in columns; 0 = no limit
	Color bool //
}

// Terminal writes all tables for a terminal.
func Terminal(w io.Writer, s *result.Results, o Screen) error {
	for _, t := range Tables(s) {
		if err := t.Terminal(w, table.Look{Width: o.Width, Color: o.Color}); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}

func percent(level float64) string { return percent100(level) + " %" }

func percent100(share float64) string { return strconv.FormatFloat(100*share, 'g', 4, 64) }

// short cuts a text that models or servers wrote, so that one hostile name cannot fill a page.
func short(s string) string { return table.Cut(s, 120) }

func shortNames(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = short(name)
	}
	return out
}

// Write writes the study's tables into dir, which it creates, by a function that replaces a file as a whole or not at
// all, and returns the paths in the order written:
//
//	NAME.md    a table to read
//	NAME.tex   the same, to \input into a paper
//	NAME.csv   the same, unrounded, with the columns and rows that readers do not see
//
// Equal studies give equal bytes. The first failure ends the writing.
func Write(s *result.Results, dir string, save func(path string, data []byte) error) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("create the folder for tables: %w", err)
	}
	files, err := render(s)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := save(path, f.data); err != nil {
			return paths, fmt.Errorf("write table %s: %w", path, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

type file struct {
	name string
	data []byte
}

// WriteLaTeX writes the file of a table of the study.
func WriteLaTeX(w io.Writer, s *result.Results, t *table.Table) error {
	if _, err := fmt.Fprintf(w, "%% %s\n", Comment(s)); err != nil {
		return err
	}
	return t.LaTeX(w)
}

func render(s *result.Results) ([]file, error) {
	var files []file
	for _, t := range Tables(s) {
		var md, tex, csv bytes.Buffer
		fmt.Fprintf(&md, "<!-- %s -->\n\n", Comment(s))
		if err := t.Markdown(&md); err != nil {
			return nil, err
		}
		if t.Kind == "data" {
			for _, w := range s.Warnings {
				fmt.Fprintf(&md, "\nWarning: %s\n", table.Markdown(w))
			}
		}
		if err := WriteLaTeX(&tex, s, &t); err != nil {
			return nil, err
		}
		if err := t.CSV(&csv); err != nil {
			return nil, err
		}
		files = append(files, file{t.File + ".md", md.Bytes()}, file{t.File + ".tex", tex.Bytes()},
			file{t.File + ".csv", csv.Bytes()})
	}
	return files, nil
}

// Comment says what the files of a study were made from, on one line, safe inside LaTeX and HTML comments. It holds no
// date, so that equal input gives equal bytes.
func Comment(s *result.Results) string {
	word := func(x string) string {
		x = strings.Map(func(r rune) rune {
			if r > '~' || strings.ContainsRune("<>%\\", r) {
				return '?'
			}
			return r
		}, table.Clean(x))
		for strings.Contains(x, "--") {
			x = strings.ReplaceAll(x, "--", "-")
		}
		return x
	}
	return fmt.Sprintf("study %s; infnet %s; spec %s; answers %s",
		word(s.Name), word(s.Spec.Program), word(s.Spec.SpecHash), word(s.Spec.AnswersHash))
}
