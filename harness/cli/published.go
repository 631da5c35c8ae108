package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"

	"infnet/experiments"
	"infnet/experiments/paper/audit"
	"infnet/experiments/public/gallery"
	"infnet/harness/fault"
	"infnet/harness/pipeline"
	"infnet/harness/published"
	"infnet/reports"
	"infnet/reports/table"
)

// publishedCommand shows the numbers printed in the paper, and in others.
type publishedCommand struct {
	Table  string `arg:"" optional:"" help:"A table's label, such as tab:add_res1, to print its rows; or audit, or gallery. Default: list the tables."`
	Format string `help:"How tables are printed: text, markdown or csv." enum:"text,markdown,csv" default:"text"`
}

func (c *publishedCommand) Run(ctx context.Context, s *streams) error {
	if c.Table == "gallery" {
		return c.gallery(ctx, s)
	}
	b, err := pipeline.Printed()
	if err != nil {
		return err
	}
	switch c.Table {
	case "":
		return listPublished(s, b)
	case "audit":
		return c.audit(s, b)
	}
	t, err := b.Table(c.Table)
	if err != nil {
		return fault.Usage.Wrap(err)
	}
	return printTable(s, reports.Published(b, t), c.Format)
}

// listPublished lists the tables: datasets, pairs, and the study that reproduces each.
func listPublished(s *streams, b *published.Book) error {
	w := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "TABLE\tROWS\tMODELS\tDATASETS\tSTUDY")
	for i := range b.Tables {
		t := &b.Tables[i]
		pairs, datasets, rows := t.Covers()
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\texperiments/paper/%s.toml\n", t.Label, rows, strings.Join(pairs, ", "),
			strings.Join(datasets, ", "), strings.TrimPrefix(t.Label, "tab:"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.out, "\ninfnet published TABLE prints its rows; infnet published audit checks all of them "+
		"by arithmetic;\ninfnet published gallery compares other papers' numbers with their recorded answers.")
	return err
}

func (c *publishedCommand) audit(s *streams, b *published.Book) error {
	findings, err := audit.Audit(b)
	if err != nil {
		return err
	}
	if c.Format == "markdown" {
		return audit.Write(s.out, findings)
	}
	for i, t := range audit.Tables(findings) {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		if err := printTable(s, t, c.Format); err != nil {
			return err
		}
	}
	return nil
}

// gallery compares the numbers of other papers with what their recorded answers give.
func (c *publishedCommand) gallery(ctx context.Context, s *streams) error {
	data := os.Getenv("INFNET_DATA")
	if data == "" {
		return fault.Usage.Wrap(errors.New("the gallery compares printed numbers with recorded answers, and INFNET_DATA is " +
			"not set: it names the folder that has answers/ (see experiments/public/README.md)"))
	}
	files, err := fs.Sub(experiments.Files, "public")
	if err != nil {
		return err
	}
	b, err := gallery.Read(files)
	if err != nil {
		return err
	}
	g, err := gallery.Compare(ctx, b, data)
	if err != nil {
		return fault.Data.Wrap(err)
	}
	if c.Format == "markdown" {
		return g.Write(s.out)
	}
	for i, t := range g.Tables() {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		if err := printTable(s, t, c.Format); err != nil {
			return err
		}
	}
	return nil
}

// printTable prints a table in the format asked for.
func printTable(s *streams, t table.Table, format string) error {
	switch format {
	case "markdown":
		return t.Markdown(s.out)
	case "latex":
		return t.LaTeX(s.out)
	case "csv":
		return t.CSV(s.out)
	}
	return t.Terminal(s.out, table.Look{Width: terminalWidth(s.out), Color: colour(s.out)})
}
