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
	To          string `help:"Write the tables and figures into this folder, and leave the run's as they are; the other flags need it." placeholder:"DIR"`
	style.Style `embed:""`
}

// over is a study's style with what the flags set.
func (f *lookFlags) over(s style.Style) style.Style {
	into, from := reflect.ValueOf(&s).Elem(), reflect.ValueOf(f.Style)
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
	if key, err := f.Style.Check(); err != nil {
		return fault.Usage.Wrap(fmt.Errorf("--%s: %w", key, err))
	}
	if f.To == "" && !reflect.ValueOf(f.Style).IsZero() {
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
	r.Style = f.over(r.Style)
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
