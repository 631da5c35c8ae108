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
		budget, flag string // of the spec, of the command line
		code         int
		want         string
	}{
		{budget: "tokens = 0", code: ExitSpec, want: "collect.budget.tokens: want 1 to 1e15, got 0"},
		{budget: "tokens = 9223372036854775807", code: ExitSpec, want: "want 1 to 1e15, got 9223372036854775807"},
		{budget: "tokens = 9223372036854775808", code: ExitSpec, want: "out of range"},
		{budget: "cost = nan", code: ExitSpec, want: "collect.budget.cost: want a finite number, got NaN"},
		{budget: "cost = -inf", code: ExitSpec, want: "collect.budget.cost: want a finite number, got -Inf"},
		{budget: "cost = 0.0", code: ExitSpec, want: "collect.budget.cost: want more than 0, up to 1e12"},
		{budget: "cost = 1e300", code: ExitSpec, want: "got 1e+300"},
		{budget: `time = "0s"`, code: ExitSpec, want: "is no duration above zero"},
		{budget: `time = "999999h"`, code: ExitSpec, want: "up to 87600h, got 999999h0m0s"},
		{budget: `time = "9999999999h"`, code: ExitSpec, want: "is no duration above zero"},
		{flag: "--budget-tokens=0", code: ExitSpec, want: "--budget-tokens: want 1 to 1e15"},
		{flag: "--budget-tokens=9223372036854775808", code: ExitUsage, want: "--budget-tokens"},
		{flag: "--budget-cost=0", code: ExitSpec, want: "--budget-cost: want more than 0"},
		{flag: "--budget-cost=NaN", code: ExitSpec, want: "--budget-cost: want a finite number, got NaN"},
		{flag: "--budget-cost=1e300", code: ExitSpec, want: "--budget-cost: want more than 0, up to 1e12"},
		{flag: "--budget-time=-1s", code: ExitSpec, want: "--budget-time: -1s is no duration above zero"},
		{flag: "--budget-time=999999h", code: ExitSpec, want: "--budget-time: want a duration"},
	} {
		t.Run(tt.budget+tt.flag, func(t *testing.T) {
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
			args := []string{"run", "study.toml"}
			if tt.flag != "" {
				args = append(args, tt.flag)
			}
			out, errOut := infnet(t, tt.code, args...)
			if !strings.Contains(errOut, tt.want) || out != "" {
				t.Errorf("%q and %q on stdout, want %q", errOut, out, tt.want)
			}
			if _, err := os.Stat("runs"); err == nil {
				t.Error("something was asked")
			}
		})
	}
}
