//go:build linux

package cli

import (
	"slices"
	"strings"
	"testing"
)

// doctor starts servers only if it is asked to, one model after the other, and leaves none.
func TestDoctorStartsServersOnRequest(t *testing.T) {
	launchStudy(t, 40, "", "")
	out, _ := infnet(t, ExitOK, "doctor", "study.toml")
	for _, want := range []string{"this machine (what the servers of the study need)", "✓ GPU", " disk",
		"its server was not started", "infnet doctor --start"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if got := happened(t, false); len(got) > 0 {
		t.Fatalf("doctor started servers: %v", got)
	}
	out, _ = infnet(t, ExitOK, "doctor", "study.toml", "--start")
	if n := strings.Count(out, "✓ asked colours"); n != 2 || strings.Contains(out, "not started") {
		t.Errorf("%d models answered, want 2:\n%s", n, out)
	}
	want := []string{"start small", "stop small", "start large", "stop large"}
	if got := happened(t, true); !slices.Equal(got, want) {
		t.Errorf("the servers did %v, want %v", got, want)
	}
	nothingRuns(t)

	setHabits(t, "large oom 1\n")
	if out, _ = infnet(t, ExitModel, "doctor", "study.toml", "--start", "--only", "master"); !strings.Contains(out,
		"✗ opened") {
		t.Errorf("a server that dies:\n%s", out)
	}
}
