package doubt

import (
	"fmt"
	"strings"
)

// Fewest is the number of records below which a part is called small: a rate of one half measured on 30 records has a
// 95 % interval (Clopper-Pearson) of 31 to 69 %. FewestOfClass is the same for a class in the fit part, whose
// threshold depends on these records alone.
const (
	Fewest        = 30
	FewestOfClass = 5
)

// TooMuch is the largest share of the test part whose texts may also be in the fit
// part: above it, the test part is no longer held out.
const TooMuch = 0.5

// OverlapRemedy says how to remove texts that are in both parts.
const OverlapRemedy = `Set dedupe = "first" to keep the first record of every text, or group = the text's column to keep equal texts in one part.`

// Records are a dataset with its split. Slices have one entry per record.
type Records struct {
	Text      []string // the whole prompt as a model gets it, or a digest of it; equal means equal to the byte
	Blank     []bool   // what the record puts into the prompt is empty or blank
	Class     []int    // the reference class; nil = the task has none
	Labels    []string // class names
	Fit, Test []int    // records of each part
}

// Found is the result of checking the texts.
type Found struct {
	Overlap int // test records whose text is in the fit part
	Test    int // test records
	Doubts  []Doubt
}

// Refused reports whether most of the test part is also in the fit part.
func (f Found) Refused() bool { return float64(f.Overlap) > TooMuch*float64(f.Test) }

// Texts checks the texts for faults that weaken a dataset's numbers: overlap of the
// parts, contradicting labels, empty texts and small parts.
func Texts(r Records) Found {
	f := Found{Test: len(r.Test)}
	inFit := make(map[string]bool, len(r.Fit))
	for _, i := range r.Fit {
		inFit[r.Text[i]] = true
	}
	for _, i := range r.Test {
		if inFit[r.Text[i]] {
			f.Overlap++
		}
	}
	add := func(kind string, n, of int, format string, args ...any) {
		f.Doubts = append(f.Doubts, Doubt{Kind: kind, Text: fmt.Sprintf(format, args...), Count: n, Of: of})
	}
	if f.Overlap > 0 {
		add("overlap", f.Overlap, f.Test, `%d of %d test records have a text that is in the fit part too, to the byte: on them what was fitted is tested on what it saw. `+OverlapRemedy, f.Overlap, f.Test)
	}
	if texts, records := twoLabels(r); texts > 0 {
		add("two-labels", records, len(r.Text), `%s with two different labels (%d records): no model can be right on all of them. Correct the labels, or set dedupe = "first" to keep the first record of every text.`, count(texts, "text stands there", "texts stand there"), records)
	}
	blank := 0
	for _, b := range r.Blank {
		if b {
			blank++
		}
	}
	if blank > 0 {
		add("blank", blank, len(r.Text), "%s an empty text: a model sees the prompt's own words alone. Leave these rows out "+
			"of the file.", count(blank, "record has", "records have"))
	}
	if small := smallParts(r); small != "" {
		kind := "few"
		if len(r.Test) < Fewest {
			kind = "small" // contains all that a table says about a test part
		}
		add(kind, 0, 0, "%s. Use more records, or another share (fit in [split]).", small)
	}
	return f
}

// twoLabels counts the texts that have more than one class, and their records.
func twoLabels(r Records) (texts, records int) {
	if r.Class == nil {
		return 0, 0
	}
	type seen struct {
		class, n int
		differ   bool
	}
	by := make(map[string]*seen, len(r.Text))
	for i, t := range r.Text {
		if by[t] == nil {
			by[t] = &seen{class: r.Class[i]}
		}
		by[t].n++
		by[t].differ = by[t].differ || by[t].class != r.Class[i]
	}
	for _, s := range by { // sums: the order has no effect
		if s.differ {
			texts++
			records += s.n
		}
	}
	return texts, records
}

// smallParts names the parts, and the classes of the fit part, that have too few records for reliable numbers.
func smallParts(r Records) string {
	var out []string
	for _, part := range []struct {
		name string
		n    int
	}{{"fit", len(r.Fit)}, {"test", len(r.Test)}} {
		if part.n < Fewest {
			out = append(out, fmt.Sprintf("the %s part has %s (fewer than %d)", part.name,
				count(part.n, "record", "records"), Fewest))
		}
	}
	if r.Class != nil {
		of, all := make([]int, len(r.Labels)), make([]int, len(r.Labels))
		for _, c := range r.Class {
			if c >= 0 && c < len(all) {
				all[c]++
			}
		}
		for _, i := range r.Fit {
			if c := r.Class[i]; c >= 0 && c < len(of) {
				of[c]++
			}
		}
		var small []string
		for c, n := range of {
			if n < FewestOfClass && all[c] > 0 { // a label that no record has is no class of these data
				small = append(small, fmt.Sprintf("%s %d", r.Labels[c], n))
			}
		}
		if len(small) > 0 {
			const most = 10
			more := ""
			if len(small) > most {
				small, more = small[:most], fmt.Sprintf(" and %d more", len(small)-most)
			}
			out = append(out, fmt.Sprintf("classes of fewer than %d records in the fit part: %s%s", FewestOfClass,
				strings.Join(small, ", "), more))
		}
	}
	text := strings.Join(out, "; ")
	if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
