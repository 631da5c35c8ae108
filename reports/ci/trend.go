package ci

import (
	"fmt"
	"slices"
	"time"

	"infnet/harness/nights"
	"infnet/reports/figure"
	"infnet/reports/table"
)

// mostPanels of a trend are as many datasets as a page can show.
const mostPanels = 8

// Trend draws the error and the saving of our policies against the date, with the accepted run's: a
// row of panels for each dataset. ok is false where no night has either.
func Trend(h *nights.History, called func(policy string) string) (f figure.Figure, ok bool) {
	var places []nights.Name // cascade and dataset alone
	policies := map[nights.Name][]string{}
	for i := range h.Nights {
		for _, q := range h.Nights[i].Quantities {
			if q.New == nil || q.Metric != "error" && q.Metric != "saved_pct" {
				continue
			}
			at := nights.Name{Cascade: q.Cascade, Dataset: q.Dataset}
			if !slices.Contains(places, at) {
				places = append(places, at)
			}
			if !slices.Contains(policies[at], q.Policy) {
				policies[at] = append(policies[at], q.Policy)
			}
		}
	}
	if len(places) == 0 {
		return f, false
	}
	left := ""
	if len(places) > mostPanels {
		left = fmt.Sprintf(" %d further datasets are left out.", len(places)-mostPanels)
		places = places[:mostPanels]
	}
	f = figure.Figure{Name: "trend", Columns: 2, Wide: true,
		Caption: fmt.Sprintf("%s, %s to %s: error rate and cost saved on the test part, with 95 %% intervals, night by "+
			"night; the accepted run's as dotted lines.%s", h.Nights[0].Study, h.Nights[0].Date,
			h.Nights[len(h.Nights)-1].Date, left)}
	several := slices.ContainsFunc(places, func(at nights.Name) bool { return at.Cascade != places[0].Cascade })
	for _, at := range places {
		title := at.Dataset
		if several {
			title += ": " + at.Cascade
		}
		for _, m := range []struct {
			metric, label string
			scale         float64
		}{{"error", "error, %", 100}, {"saved_pct", "cost saved, %", 1}} {
			p := figure.Panel{Title: shorter(title), X: dates(h), Y: figure.Axis{Label: m.label}}
			for i, policy := range ours(policies[at]) {
				name := at
				name.Policy, name.Metric = policy, m.metric
				p.Layers = append(p.Layers, layers(h, name, called(policy), i, m.scale)...)
			}
			p.Layers = append(p.Layers, incomplete(h)...)
			f.Panels = append(f.Panels, p)
		}
	}
	return f, true
}

func ours(policies []string) []string {
	out := slices.DeleteFunc([]string{"single", "multi"}, func(p string) bool { return !slices.Contains(policies, p) })
	if len(out) == 0 {
		out = policies
	}
	return out[:min(len(out), 2)]
}

// looks of the two policies, as the other figures have them, and of their accepted values.
var looks = []figure.Look{
	{Colour: "blue", Mark: figure.Disc, Weight: 1.2, Size: 0.7},
	{Colour: "vermilion", Mark: figure.Square, Weight: 1.2, Size: 0.7},
}

// mostPoints is the number of nights whose intervals can be told apart; of more, they are a band around a line.
const mostPoints = 60

// layers are a policy's values with their intervals, the accepted ones, and rings around nights that call it worse.
func layers(h *nights.History, name nights.Name, title string, place int, scale float64) []figure.Layer {
	look := looks[place]
	values := figure.Layer{Kind: figure.Points, Look: look, Legend: title}
	accepted := figure.Layer{Kind: figure.Line,
		Look:   figure.Look{Colour: look.Colour, Dashes: []float64{1, 1.6}, Weight: 0.9},
		Legend: title + ", accepted"}
	alarms := figure.Layer{Kind: figure.Points, Look: figure.Look{Colour: "black", Mark: figure.Ring, Size: 1.5},
		Legend: "worse"}
	before := false // the night before was worse too: of many nights only the first is marked
	for i := range h.Nights {
		n := h.Of(i)
		at := slices.IndexFunc(n.Quantities, func(q nights.Quantity) bool { return q.Name == name })
		if at < 0 || n.Quantities[at].New == nil {
			continue
		}
		q, x := n.Quantities[at], day(h, h.Nights[i].Date)
		values.X, values.Y = append(values.X, x), append(values.Y, scale*q.New.Value)
		values.Low, values.High = append(values.Low, scale*q.New.Low), append(values.High, scale*q.New.High)
		if q.Old != nil {
			accepted.X, accepted.Y = append(accepted.X, x), append(accepted.Y, scale*q.Old.Value)
		}
		worse := q.Verdict == nights.Worse && h.Nights[i].Alarm
		if worse && !(before && len(h.Nights) > mostPoints) {
			alarms.X, alarms.Y = append(alarms.X, x), append(alarms.Y, scale*q.New.Value)
		}
		before = worse
	}
	band := figure.Layer{Kind: figure.Band, Look: figure.Look{Colour: look.Colour, Shade: 0.2}}
	if len(values.X) > mostPoints {
		band.X, band.Low, band.High = values.X, values.Low, values.High
		values.Kind, values.Low, values.High, values.Look.Mark = figure.Line, nil, nil, nil
		if place > 0 {
			values.Look.Dashes = []float64{7, 2.5}
		}
	} else { // side by side
		for _, l := range []*figure.Layer{&values, &alarms} {
			for i := range l.X {
				l.X[i] += float64(0.2*float64(place)) - 0.1
			}
		}
	}
	var out []figure.Layer
	for _, l := range []figure.Layer{band, accepted, values, alarms} {
		if len(l.X) > 0 {
			l.Legend = shorter(l.Legend)
			out = append(out, l)
		}
	}
	return out
}

func incomplete(h *nights.History) (out []figure.Layer) {
	for _, n := range h.Nights {
		if n.Verdict == nights.Incomplete {
			out = append(out, figure.Layer{Kind: figure.Down, X: []float64{day(h, n.Date)},
				Look: figure.Look{Colour: "grey", Dashes: []float64{1, 1.6}, Weight: 0.8}, Legend: "incomplete night"})
		}
	}
	return out
}

// day is a date's place on the axis: days since the first night.
func day(h *nights.History, date string) float64 {
	a, _ := time.Parse(time.DateOnly, h.Nights[0].Date) // histories hold days
	b, _ := time.Parse(time.DateOnly, date)
	return b.Sub(a).Hours() / 24
}

// dates is the axis of days, with four of them named.
func dates(h *nights.History) figure.Axis {
	first, _ := time.Parse(time.DateOnly, h.Nights[0].Date)
	span := day(h, h.Nights[len(h.Nights)-1].Date)
	a := figure.Axis{Min: -0.5 - span/50, Max: span + 0.5 + span/50}
	step := max(1, int(span+3)/4)
	for at := 0; float64(at) <= span; at += step {
		layout := "2 Jan"
		if span > 300 {
			layout = "Jan 2006"
		}
		a.Ticks = append(a.Ticks, figure.Tick{At: float64(at), Label: first.AddDate(0, 0, at).Format(layout)})
	}
	return a
}

func shorter(s string) string { return table.Cut(table.Clean(s), 40) }
