package spec

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/pool"
	"infnet/harness/result/style"
	"infnet/harness/spec/place"
)

// checkReport checks the settings of tables. published lists the labels of the published tables.
func checkReport(f *file, r rawReport, published []string) Report {
	out := Report{
		Bootstrap: int(f.whole("report.bootstrap", r.Bootstrap, defaultBootstrap, 2000, 100_000)),
		Level:     or(r.Level, defaultLevel),
		Margin:    or(r.Margin, pool.Margin),
	}
	if name := r.Published; name != nil && slices.Contains(published, *name) {
		out.Published = *name
	} else if name != nil {
		hint := "there are none"
		if len(published) > 0 {
			hint = place.Suggest(*name, published) + " (experiments/paper has a study for each)"
		}
		f.wrong("report.published", fmt.Sprintf("no published table %q", *name), hint)
	}
	if v := out.Margin; !(v >= 0 && v < 1) {
		f.wrong("report.margin", fmt.Sprintf("the margin %v is outside [0,1)", v), "0.02 is 2 points of error")
	}
	out.Latency = or(r.Latency, false)
	out.Style = checkStyle(f, r)
	if v := out.Level; v <= 0 || v >= 1 {
		f.wrong("report.level", fmt.Sprintf("the level %v is outside (0,1)", v), "0.95 makes 95 % intervals")
	}
	return out
}

// checkStyle checks how tables and figures look; nil = the spec does not say.
func checkStyle(f *file, r rawReport) *style.Style {
	out := style.Style{
		Layout: or(r.Layout, ""), Intervals: or(r.Intervals, ""), Footnotes: or(r.Footnotes, ""),
		Columns: r.Columns, Figures: r.Figures, Draw: r.Draw,
	}
	if out.Layout == style.Full {
		out.Layout = "" // the usual one
	}
	checkTwice(f, "report.columns", r.Columns)
	checkTwice(f, "report.figures", r.Figures)
	checkTwice(f, "report.draw", r.Draw)
	if r.Columns != nil && !slices.Contains(r.Columns, style.Policy) {
		f.wrong("report.columns", "there is no column that says which policy a row is", "add \"policy\"")
	}
	if r.Figures != nil && len(r.Figures) == 0 {
		f.wrong("report.figures", "the list is empty", "name a format, or leave it out for svg")
	}
	out.NoPage = !or(r.Page, true)
	if size := or(r.Texts, style.UsualTexts); size != style.UsualTexts {
		out.Texts = &size
	}
	if r.Digits != nil {
		digits := int(f.whole("report.digits", r.Digits, 2, 0, style.MostDigits))
		out.Digits = &digits
	}
	if r.Caption != nil {
		out.Caption = checkCaption(f, *r.Caption)
	}
	if out.Usual() {
		return nil
	}
	return &out
}

// checkCaption refuses captions that cannot be filled.
func checkCaption(f *file, caption string) string {
	if err := style.CheckCaption(caption); err != nil {
		f.wrong("report.caption", err.Error(), "placeholders are {"+strings.Join(style.Placeholders(), "}, {")+"}")
		return ""
	}
	return caption
}
