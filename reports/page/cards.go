package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/docs"
	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports"
	"infnet/reports/table"
)

// card is what came out of one cascade or pool on one dataset. A few are shown as cards, many as rows of a table.
type card struct {
	Cascade, Dataset, Policy string // behind its numbers; no policy = there are none
	Name, Models             string // of the dataset, and of the models where the study has several cascades
	Title, Of                string // of the card
	Verdict, Word            string
	Doubted                  bool // by a caveat of what the numbers are about, or of drift: not in the colour of good
	Student, Master          string
	Saved, More              figureOf // what ours saves; where it costs more than the master alone, how much more
	Ours, Alone, None        figureOf // the errors of ours, of the master alone and of the student alone
	Action                   string
	Words                    []string // what came out, in sentences
}

// figureOf is an estimate in percent, with its interval; "" = there is none, or it is a point.
type figureOf struct{ Value, Range string }

// mostCards is the number of outcomes that are shown as cards: one row of them, so that a screen has room.
const mostCards = 4

func cards(r *result.Results) (all []card) {
	several, one := len(r.Cascades)+len(r.Pools) > 1, oneDataset(r)
	for _, h := range reports.Headlines(r) {
		c := card{Cascade: h.Cascade, Dataset: h.Dataset, Name: table.Clean(h.Dataset), Verdict: string(h.Verdict),
			Word: h.Verdict.Word(), Action: table.Clean(h.Action)}
		if several {
			c.Models = table.Clean(strings.Join(h.Models, " → "))
			if h.Pool {
				c.Models = table.Clean("pool " + h.Cascade)
			}
		}
		if n := len(h.Models); n > 0 {
			c.Student, c.Master = table.Clean(h.Models[0]), table.Clean(h.Models[n-1])
		}
		c.Title, c.Of = titles(c.Name, c.Models, one)
		c.number(&h)
		for _, x := range slices.Concat([]string{h.Result}, h.Remarks, []string{h.Sufficiency}) {
			if x != "" {
				c.Words = append(c.Words, table.Clean(x))
			}
		}
		for _, x := range h.Caveats {
			c.Doubted = c.Doubted || x.Gravity == reports.Invalid || x.Kind == "split"
		}
		all = append(all, c)
	}
	return all
}

// titles are what sets an outcome apart, and what does not: the models, where there is one dataset.
func titles(dataset, models string, one bool) (title, of string) {
	if models != "" && one {
		return models, dataset
	}
	return dataset, models
}

func oneDataset(r *result.Results) bool {
	all := settings(r)
	return len(all) > 0 && !slices.ContainsFunc(all, func(x setting) bool { return x.dataset != all[0].dataset })
}

// number fills in the numbers, where there are any that a conclusion is drawn from.
func (c *card) number(h *reports.Headline) {
	if h.Ours == nil || h.Verdict == reports.Incomplete || h.Verdict == reports.Nothing {
		return
	}
	c.Policy = h.Ours.Policy
	c.Saved, c.Ours = percent(h.Ours.Saved, 1), percent(h.Ours.Error, 100)
	if saved := h.Ours.Saved; saved.Value < 0 {
		c.More = percent(infer.Interval{Value: -saved.Value, Low: -saved.High, High: -saved.Low}, 1)
	}
	if h.Master != nil {
		c.Alone = percent(h.Master.Error, 100)
	}
	if h.Student != nil {
		c.None = percent(h.Student.Error, 100)
	}
}

// percent rounds an estimate that is given in units of 1/scale.
func percent(iv infer.Interval, scale float64) (f figureOf) {
	round := func(v float64) string { return table.Exactly(scale*v, 1).String() }
	if math.IsNaN(iv.Value) || math.IsInf(iv.Value, 0) {
		return figureOf{Value: "n/a"}
	}
	f.Value = round(iv.Value)
	if iv.High-iv.Low > 1e-9 {
		f.Range = "[" + round(iv.Low) + ", " + round(iv.High) + "]"
	}
	return f
}

// caveat is a remark on what came out: a line, and all of it where that is longer.
type caveat struct{ Line, Text, Where string }

// firstCaveats is how many of them are seen before the others are asked for.
const firstCaveats = 3

// caveats are the warnings of the study, then what bears on its headlines, the gravest first. Footnotes of tables are
// under their tables.
func caveats(r *result.Results, outcomes []card) (all []caveat) {
	for _, w := range r.Warnings {
		text := table.Clean(w)
		all = append(all, caveat{Line: reports.FirstSentence(text, longest), Text: text})
	}
	for _, x := range reports.StudyCaveats(reports.Headlines(r)) {
		text := x.Text
		if why := docs.Caveat(string(x.Kind)); why != "" {
			text += " " + strings.ReplaceAll(why, "`", "")
		}
		all = append(all, caveat{Line: table.Clean(x.Line), Text: table.Clean(text), Where: where(x.About, outcomes)})
	}
	return all
}

// longest is the number of letters of a caveat's line.
const longest = 120

// where names the outcomes of a caveat; "" = all.
func where(about []int, outcomes []card) string {
	const named = 2
	if len(about) == len(outcomes) {
		return ""
	}
	var names []string
	for _, i := range about {
		name := outcomes[i].Title
		if of := outcomes[i].Of; of != "" && of != outcomes[i].Name {
			name += " (" + of + ")"
		}
		names = append(names, name)
	}
	if n := len(names) - named; n > 0 {
		names = append(names[:named], fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

// Caveats are those that are seen at once.
func (v *view) Caveats() []caveat { return v.caveats[:min(firstCaveats, len(v.caveats))] }

// MoreCaveats are the others.
func (v *view) MoreCaveats() []caveat { return v.caveats[len(v.Caveats()):] }
