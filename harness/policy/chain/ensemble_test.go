package chain

import (
	"math"
	"slices"
	"testing"
)

func TestEnsembleByHand(t *testing.T) {
	member := func(class int, beta float64) Member {
		return Member{Class: []int{class}, Beta: []float64{beta}, Err: []float64{0}}
	}
	for _, tc := range []struct {
		name               string
		members            []Member
		majority, weighted int
	}{
		{name: "two agree", members: []Member{member(1, .2), member(1, .9), member(0, .8)}, majority: 1, weighted: 1},
		{name: "one is surer than the other two together", members: []Member{member(1, .2), member(1, .3), member(0, .8)},
			majority: 1, weighted: 2},
		{name: "two disagree: the surer", members: []Member{member(1, .7), member(0, .6)}, majority: 0, weighted: 0},
		{name: "as sure: the later", members: []Member{member(1, .7), member(0, .7)}, majority: 1, weighted: 1},
		{name: "three disagree", members: []Member{member(0, .1), member(1, .5), member(2, .4)}, majority: 1, weighted: 1},
		{name: "two against two", members: []Member{member(0, .6), member(0, .1), member(1, .5), member(1, .5)}, majority: 0,
			weighted: 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for rule, want := range map[EnsembleRule]int{Majority: tc.majority, Weighted: tc.weighted} {
				got, err := Ensemble(tc.members, rule)
				if err != nil || !slices.Equal(got, []int{want}) {
					t.Errorf("%s: member %v (%v), want %d", rule, got, err, want)
				}
			}
		})
	}
}

func TestEnsembleRefuses(t *testing.T) {
	good := Member{Class: []int{0, 1}, Beta: []float64{.5, .5}, Err: []float64{0, 1}}
	for _, tc := range []struct {
		name    string
		members []Member
		rule    EnsembleRule
	}{
		{"one member", []Member{good}, Majority},
		{"unknown rule", []Member{good, good}, "oracle"},
		{"lengths", []Member{good, {Class: []int{0}, Beta: []float64{.5}, Err: []float64{0}}}, Majority},
		{"columns", []Member{good, {Class: []int{0, 1}, Beta: []float64{.5}, Err: []float64{0}}}, Majority},
		{"NaN", []Member{good, {Class: []int{0, 1}, Beta: []float64{.5, math.NaN()}, Err: []float64{0, 0}}}, Weighted},
		{"no records", []Member{{}, {}}, Majority},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, err := Ensemble(tc.members, tc.rule); err == nil {
				t.Errorf("decided %v", got)
			}
		})
	}
}
