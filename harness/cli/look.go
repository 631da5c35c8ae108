package cli

import (
	"errors"
	"fmt"
	"os"
	"reflect"

	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/result"
	"infnet/harness/result/style"
)

// lookFlags are the settings of [report] that change no number, for tables that are written elsewhere.
type lookFlags struct {
	To        string          `help:"Write the tables and figures into this folder, and leave the run's as they are." placeholder:"DIR"`
	Layout    style.Layout    `help:"With --to: full, or paper, the paper's own table." placeholder:"FORM"`
	Columns   []style.Column  `help:"With --to: the columns of the tables of policies, in order." placeholder:"NAME"`
	Intervals style.Intervals `help:"With --to: brackets, pm or none." placeholder:"FORM"`
	Footnotes style.Footnotes `help:"With --to: all, short or none." placeholder:"AMOUNT"`
	Digits    *int            `help:"With --to: digits of numbers from 0 to 1, two fewer of percentages." placeholder:"N"`
	Caption   string          `help:"With --to: the caption of the tables of policies, with {student}, {master}, …" placeholder:"TEXT"`
	Figures   []style.Format  `help:"With --to: svg, pdf, png, pgfplots." placeholder:"FORMAT"`
	Draw      []style.Kind    `help:"With --to: the kinds of figures: cost-error, frontier, threshold, reliability, boundaries, classes, permutations, pool." placeholder:"KIND"`
}

// asked is the style that the flags ask for.
func (f *lookFlags) asked() style.Style {
	return style.Style{Layout: f.Layout, Columns: f.Columns, Intervals: f.Intervals, Footnotes: f.Footnotes,
		Digits:  f.Digits,
		Caption: f.Caption, Figures: f.Figures, Draw: f.Draw}
}

// over is a study's style with what the flags set.
func (f *lookFlags) over(s style.Style) style.Style {
	into, from := reflect.ValueOf(&s).Elem(), reflect.ValueOf(f.asked())
	for i := range from.NumField() {
		if x := from.Field(i); !x.IsZero() {
			into.Field(i).Set(x)
		}
	}
	return s
}

// check refuses settings that cannot be, and settings for the run's own folder, whose files verify
// compares with the study.
func (f *lookFlags) check() error {
	if err := f.asked().Check(); err != nil {
		return fault.Usage.Wrap(err)
	}
	if f.To == "" && !f.asked().Usual() {
		return fault.Usage.Wrap(errors.New("these settings are not the study's, and verify would find other tables in " +
			"the run's " +
			"folder: name another one with --to, or set them in [report] and run infnet analyze"))
	}
	if f.To != "" {
		return folder.Writable(f.To)
	}
	return nil
}

// elsewhere writes the tables and figures in another style to another folder.
func (f *lookFlags) elsewhere(s *streams, r *result.Results) error {
	look := f.over(style.Of(r.Style))
	r.Style = &look
	w, err := folder.CopyTables(f.To, r)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Written to %s: %d files of tables, %d of figures\n", f.To, w.Tables, w.Figures)
	return nil
}

// outdated warns where a spec asks for other tables than the run was made with.
func (c *reportCommand) outdated(s *streams, r *result.Results) {
	if info, err := os.Stat(c.runFlags.Run); err != nil || info.IsDir() {
		return
	}
	loaded, err := (&studyFlags{Spec: c.runFlags.Run, askedFlags: askedFlags{overrideFlags: c.overrideFlags}}).load()
	if err == nil && !reflect.DeepEqual(loaded.Report.Style, r.Style) {
		fmt.Fprintf(s.err, "infnet: the looks in [report] of %s are not those of the run: infnet analyze %s takes "+
			"them over\n",
			c.runFlags.Run, c.runFlags.Run)
	}
}
