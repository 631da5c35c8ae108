package policy

import (
	"math"
	"strings"
	"testing"
)

func TestFitRefuses(t *testing.T) {
	good := func() Records {
		return Records{
			Classes: 2, Class: []int{0, 1, 0}, Beta: []float64{.1, .2, .3},
			Student: []float64{1, 0, 1}, Master: []float64{0, 1, 0}, MasterCost: []float64{1, 2, 3},
		}
	}
	number, _ := ParseTarget("0.9")
	for _, tc := range []struct {
		name    string
		break_  func(*Records)
		options Options
		want    string
	}{
		{name: "no records", break_: func(r *Records) { *r = Records{} }, want: "no records"},
		{name: "short column", break_: func(r *Records) { r.Student = r.Student[:2] }, want: "2 student errors for 3"},
		{name: "short classes", break_: func(r *Records) { r.Class = r.Class[:2] }, want: "2 classes for 3"},
		{name: "classes but no column", break_: func(r *Records) { r.Class = nil }, want: "no class column"},
		{name: "negative classes", break_: func(r *Records) { r.Classes = -1 }, want: "-1 classes"},
		{name: "class too large", break_: func(r *Records) { r.Class[1] = 2 }, want: "record 1: class 2 is outside 0 … 1"},
		{name: "class negative", break_: func(r *Records) { r.Class[2] = -1 }, want: "record 2: class -1"},
		{name: "β NaN", break_: func(r *Records) { r.Beta[1] = math.NaN() }, want: "record 1: confidence NaN"},
		{name: "β above 1", break_: func(r *Records) { r.Beta[2] = 1.5 }, want: "record 2: confidence 1.5"},
		{name: "β below 0", break_: func(r *Records) { r.Beta[0] = -.1 }, want: "record 0: confidence -0.1"},
		{name: "error NaN", break_: func(r *Records) { r.Student[0] = math.NaN() }, want: "record 0: student error NaN"},
		{name: "error above 1", break_: func(r *Records) { r.Master[1] = 2 }, want: "record 1: master error 2"},
		{name: "cost negative", break_: func(r *Records) { r.MasterCost[1] = -2 }, want: "record 1: master cost -2"},
		{name: "cost infinite", break_: func(r *Records) { r.MasterCost[1] = math.Inf(1) },
			want: "record 1: master cost +Inf"},
		{name: "no master", break_: func(r *Records) { r.Master = nil }, want: "no master errors"},
		{name: "no cost", break_: func(r *Records) { r.MasterCost = nil }, options: Options{Objective: Cost},
			want: "needs the master's cost"},
		{name: "oracle without a number", options: Options{Setting: Oracle}, want: "give a number"},
		{name: "oracle with the master's target", options: Options{Setting: Oracle, Target: Master}, want: "give a number"},
		{name: "oracle with master errors", options: Options{Setting: Oracle, Target: number},
			want: "record 1: master error 1"},
		{name: "linear without oracle", options: Options{Method: Linear}, want: "needs the oracle setting"},
		{name: "unknown method", options: Options{Method: "guess"}, want: "unknown"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := good()
			if tc.break_ != nil {
				tc.break_(&r)
			}
			if _, err := FitSingle(r, tc.options); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("FitSingle: %v, want an error with %q", err, tc.want)
			}
			if tc.options.Method == Linear {
				return
			}
			if _, err := FitMulti(r, tc.options); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("FitMulti: %v, want an error with %q", err, tc.want)
			}
		})
	}
	if _, err := FitMulti(good(), Options{Method: Linear}); err == nil ||
		!strings.Contains(err.Error(), "single threshold") {
		t.Errorf("FitMulti by selection: %v", err)
	}
}
