package figure

import (
	"fmt"
	"math"
	"strconv"

	"infnet/harness/calc"
	"infnet/harness/result"
)

type poolView struct {
	study *result.Results
	pool  *result.Pool
	data  *result.PoolDataset
}

// poolWorth shows what a pool is worth: cost against error of the models alone, of the
// best choices and of the oracle, and beside it the price ratios at which pairs break
// even.
func poolWorth(v *poolView) (Figure, bool) {
	if len(v.data.Models) == 0 || len(v.data.Envelope) == 0 {
		return Figure{}, false
	}
	f := Figure{Kind: "pool", Columns: 1}
	plane, ok := v.plane()
	if !ok {
		return Figure{}, false
	}
	f.Panels = []Panel{plane, v.breakEven()}
	head := fmt.Sprintf("pool %s, %s: ", v.pool.Name, v.data.Name)
	if v.pool.Incomplete {
		head = "INCOMPLETE: " + head
	}
	f.Caption = head + "cost against error on the test part (above), and for every pair the price ratio below which a " +
		"cascade of the two is worth it at the master's error (below)."
	f.Notes = []string{"Above: marks are single models; the thin grey line is the cheapest mix of two of them at " +
		"random, the blue " +
		"one the best choice at some price of an error, both chosen on the fit part; the dashed one is an oracle that " +
		"knows every answer. Below: pairs above the diagonal are cheaper than their master, at no more " +
		"error than the master's " +
		"on the fit part; bars are intervals on the test part; 0: at no price."}
	return f, true
}

func (v *poolView) plane() (Panel, bool) {
	unit := v.pool.Unit
	if unit != "" {
		unit = " (" + unit + ")"
	}
	axis, most := calc.Log10, 0.0
	for _, m := range v.data.Models {
		most = max(most, m.Cost.Value)
		if m.Cost.Value == 0 {
			axis = func(cost float64) float64 { return cost } // there is no logarithm of nothing
		}
	}
	p := Panel{Apart: true, X: Axis{Label: "cost of 1,000 queries" + unit}, Y: Axis{Label: "error (%)", Share: true}}
	var singles []result.PoolPoint
	for _, family := range v.data.Families {
		if family.Kind == "single" {
			singles = family.Test
		}
	}
	var chosen []result.PoolPoint
	for _, c := range v.data.Envelope {
		chosen = append(chosen, result.PoolPoint{Cost: c.Cost.Value, Error: c.Error.Value})
	}
	for _, l := range []struct {
		look   Look
		legend string
		points []result.PoolPoint
	}{
		{Look{Colour: "black", Dashes: dashed, Weight: 0.9}, "oracle", v.data.Oracle},
		{Look{Colour: "grey", Weight: 0.7}, "single models mixed at random", singles},
		{Look{Colour: "blue", Weight: 1.4}, "best choices", chosen},
	} {
		x, y := mixLine(l.points, axis)
		if len(x) > 0 {
			p.Layers = append(p.Layers, Layer{Kind: Line, Look: l.look, Legend: l.legend, X: x, Y: y})
		}
	}
	for i, m := range v.data.Models {
		look := modelLooks[i%len(modelLooks)]
		p.Layers = append(p.Layers, Layer{Kind: Points, Look: look, Legend: ends(m.Model),
			X: []float64{axis(1000 * m.Cost.Value)}, Y: []float64{100 * m.Error.Value}})
	}
	low, high, _, _ := p.ranges()
	room := float64(0.03 * (high - low))
	p.X.Min, p.X.Max = low-room, high+room
	if axis(1) == 0 {
		p.X.Ticks = decades(p.X.Min, p.X.Max)
	}
	return p, most > 0
}

// modelLooks are the marks of a pool's models, a form each, so that no two need a colour to be told apart. Discs and
// rings are pairs.
var modelLooks = []Look{
	{Colour: "vermilion", Mark: Square}, {Colour: "green", Mark: Triangle}, {Colour: "purple", Mark: Diamond},
	{Colour: "orange", Mark: Plus}, {Colour: "sky", Mark: Cross}, {Colour: "black", Mark: Kite},
	{Colour: "grey", Mark: Box}, {Colour: "blue", Mark: Nabla}, {Colour: "black", Mark: Star},
	{Colour: "green", Mark: Tent}, {Colour: "vermilion", Mark: Target}, {Colour: "purple", Mark: Vee},
}

// mixLine joins points by what neighbours mixed at random do, on an axis of costs.
func mixLine(points []result.PoolPoint, axis func(float64) float64) (x, y []float64) {
	const parts = 12
	add := func(cost, err float64) {
		if at := axis(1000 * cost); !math.IsInf(at, 0) {
			x, y = append(x, at), append(y, 100*err)
		}
	}
	for k, p := range points {
		if k > 0 && len(points) < 200 {
			for j := 1; j < parts; j++ {
				t, b := float64(j)/parts, points[k-1]
				add(b.Cost+float64(t*(p.Cost-b.Cost)), b.Error+float64(t*(p.Error-b.Error)))
			}
		}
		add(p.Cost, p.Error)
	}
	return x, y
}

// decades are 1, 2 and 5 times the powers of ten between two logarithms; of long axes
// the powers alone.
func decades(low, high float64) (out []Tick) {
	times := []float64{1, 2, 5}
	if high-low > 2 {
		times = times[:1]
	}
	for power := math.Floor(low); power <= high; power++ {
		for _, t := range times {
			if at := power + calc.Log10(t); at >= low && at <= high {
				out = append(out, Tick{at, strconv.FormatFloat(t*calc.Pow(10, power), 'g', 6, 64)})
			}
		}
	}
	return out
}

// breakEven is a mark per pair whose student is cheaper and errs more: its price ratio,
// and the one at which it breaks even with no more errors than its master.
func (v *poolView) breakEven() Panel {
	p := Panel{X: Axis{Label: "student's price (% of the master's)", Min: 0, Max: 100},
		Y: Axis{Label: "break-even price (%)", Min: 0, Max: 100}}
	p.Layers = append(p.Layers, Layer{Kind: Line, Look: Look{Colour: "grey", Weight: 0.7}, X: []float64{0, 100},
		Y: []float64{0, 100}})
	marks := map[bool]*Layer{
		true: {Kind: Points, Look: Look{Colour: "green", Mark: Disc, Size: 0.6}, Legend: "pair that is worth it"},
		false: {Kind: Points, Look: Look{Colour: "vermilion", Mark: Ring, Size: 0.6},
			Legend: "pair not shown to be worth it"},
	}
	for _, x := range v.data.Pairs {
		if !(x.Ratio < 1) || len(x.Even) == 0 {
			continue
		}
		var value, low, high float64 // at no price
		if at := x.Even[0].BreakEven; at != nil {
			value, low, high = at.Value, at.Low, at.High
		}
		l := marks[float64(x.Ratio) < low]
		l.X, l.Y = append(l.X, 100*float64(x.Ratio)), append(l.Y, 100*value)
		l.Low, l.High = append(l.Low, 100*low), append(l.High, 100*high)
	}
	for _, worth := range []bool{true, false} {
		if len(marks[worth].X) > 0 {
			p.Layers = append(p.Layers, *marks[worth])
		}
	}
	return p
}
