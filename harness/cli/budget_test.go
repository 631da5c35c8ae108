package cli

import (
	"os"
	"strings"
	"testing"
)

// A budget on the command line that is no amount is refused before anything is asked, and never taken for none.
func TestBudgetsThatAreNone(t *testing.T) {
	study := must(os.ReadFile("testdata/study/study.toml"))
	for _, tt := range []struct {
		flag string
		code int
		want string
	}{
		{flag: "--budget-tokens=0", code: ExitSpec, want: "--budget-tokens: want 1 to 1e15"},
		{flag: "--budget-tokens=9223372036854775808", code: ExitUsage, want: "--budget-tokens"},
		{flag: "--budget-cost=0", code: ExitSpec, want: "--budget-cost: want more than 0"},
		{flag: "--budget-cost=NaN", code: ExitSpec, want: "--budget-cost: want a finite number, got NaN"},
		{flag: "--budget-cost=1e300", code: ExitSpec, want: "--budget-cost: want more than 0, up to 1e12"},
		{flag: "--budget-time=-1s", code: ExitSpec, want: "--budget-time: -1s is no duration above zero"},
		{flag: "--budget-time=999999h", code: ExitSpec, want: "--budget-time: want a duration"},
	} {
		t.Run(tt.flag, func(t *testing.T) {
			t.Chdir(t.TempDir())
			save(t, "study.toml", string(study))
			if err := writeColours("colours.csv", 8); err != nil {
				t.Fatal(err)
			}
			out, errOut := infnet(t, tt.code, "run", "study.toml", tt.flag)
			if !strings.Contains(errOut, tt.want) || out != "" {
				t.Errorf("%q and %q on stdout, want %q", errOut, out, tt.want)
			}
			if _, err := os.Stat("runs"); err == nil {
				t.Error("something was asked")
			}
		})
	}
}
