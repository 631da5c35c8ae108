package cli

import (
	"os"
	"strings"
	"testing"
)

// A budget that is no amount is refused, wherever it is written, before
// anything is asked, and never taken for none.
func TestBudgetsThatAreNone(t *testing.T) {
	study, err := os.ReadFile("testdata/study/study.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, budget string   // of the spec
		flags        []string // of the command line
		code         int
		want         string
	}{
		{name: "spec, no tokens", budget: "tokens = 0", code: ExitSpec,
			want: "collect.budget.tokens: 0 is no number of tokens"},
		{name: "spec, fewer", budget: "tokens = -1", code: ExitSpec, want: "-1 is no number of tokens"},
		{name: "spec, more than there are", budget: "tokens = 9223372036854775807", code: ExitSpec,
			want: "is no number of tokens"},
		{name: "spec, beyond the range", budget: "tokens = 9223372036854775808", code: ExitSpec, want: "out of range"},
		{name: "spec, tokens not finite", budget: "tokens = inf", code: ExitSpec, want: "tokens"},
		{name: "spec, cost NaN", budget: "cost = nan", code: ExitSpec,
			want: "collect.budget.cost: want a finite number, got NaN"},
		{name: "spec, cost +Inf", budget: "cost = inf", code: ExitSpec,
			want: "collect.budget.cost: want a finite number, got +Inf"},
		{name: "spec, cost -Inf", budget: "cost = -inf", code: ExitSpec,
			want: "collect.budget.cost: want a finite number, got -Inf"},
		{name: "spec, nothing", budget: "cost = 0.0", code: ExitSpec, want: "collect.budget.cost: 0 is no amount"},
		{name: "spec, below nothing", budget: "cost = -0.5", code: ExitSpec, want: "collect.budget.cost: -0.5 is no amount"},
		{name: "spec, all there is", budget: "cost = 1e300", code: ExitSpec,
			want: "collect.budget.cost: 1e+300 is no amount"},
		{name: "spec, no time", budget: `time = "0s"`, code: ExitSpec, want: "is no duration above zero"},
		{name: "spec, back in time", budget: `time = "-5m"`, code: ExitSpec, want: "is no duration above zero"},
		{name: "spec, time NaN", budget: `time = "NaN"`, code: ExitSpec, want: "is no duration above zero"},
		{name: "spec, for ever", budget: `time = "999999h"`, code: ExitSpec, want: "longer than ten years"},
		{name: "spec, beyond a duration", budget: `time = "9999999999h"`, code: ExitSpec, want: "is no duration above zero"},
		{name: "flag, no tokens", flags: []string{"--budget-tokens=0"}, code: ExitSpec,
			want: "--budget-tokens: a budget is a number above zero"},
		{name: "flag, fewer", flags: []string{"--budget-tokens=-7"}, code: ExitSpec,
			want: "--budget-tokens: a budget is a number above zero"},
		{name: "flag, more than there are", flags: []string{"--budget-tokens=9223372036854775807"}, code: ExitSpec,
			want: "--budget-tokens: a budget is a number above zero"},
		{name: "flag, beyond the range", flags: []string{"--budget-tokens=9223372036854775808"}, code: ExitUsage,
			want: "--budget-tokens"},
		{name: "flag, tokens NaN", flags: []string{"--budget-tokens=NaN"}, code: ExitUsage, want: "--budget-tokens"},
		{name: "flag, nothing", flags: []string{"--budget-cost=0"}, code: ExitSpec,
			want: "--budget-cost: a budget is a number above zero"},
		{name: "flag, NaN", flags: []string{"--budget-cost=NaN"}, code: ExitSpec,
			want: "--budget-cost: a budget is a number above zero"},
		{name: "flag, Inf", flags: []string{"--budget-cost=Inf"}, code: ExitSpec,
			want: "--budget-cost: a budget is a number above zero"},
		{name: "flag, all there is", flags: []string{"--budget-cost=1e300"}, code: ExitSpec,
			want: "--budget-cost: a budget is a number above zero"},
		{name: "flag, beyond the range of numbers", flags: []string{"--budget-cost=1e999"}, code: ExitUsage,
			want: "--budget-cost"},
		{name: "flag, no time", flags: []string{"--budget-time=0s"}, code: ExitSpec,
			want: "--budget-time: a budget is a number above zero"},
		{name: "flag, back in time", flags: []string{"--budget-time=-1s"}, code: ExitSpec,
			want: "--budget-time: a budget is a number above zero"},
		{name: "flag, for ever", flags: []string{"--budget-time=999999h"}, code: ExitSpec,
			want: "--budget-time: a budget is a number above zero"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			text := string(study)
			if tt.budget != "" {
				text += "\n[collect]\nbudget = { " + tt.budget + " }\n"
			}
			if err := os.WriteFile("study.toml", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := writeColours("colours.csv", 8); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"plan", "collect", "run"} {
				out, errOut := infnet(t, tt.code, append([]string{command, "study.toml"}, tt.flags...)...)
				if !strings.Contains(errOut, tt.want) || out != "" {
					t.Errorf("%s: %q and %q on stdout, want %q", command, errOut, out, tt.want)
				}
			}
			if _, err := os.Stat("runs"); err == nil {
				t.Error("something was asked")
			}
		})
	}
}
