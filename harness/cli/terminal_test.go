package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
)

func TestNothingHiddenReachesTheTerminal(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "é 日本 a\tb\n", "é 日本 a\tb\n"},
		{"escape", "\x1b[31mred\x1b[0m", "�[31mred�[0m"},
		{"bell, carriage return", "a\a\rb", "a��b"},
		{"C1 control", "a\u009b2Jb", "a�2Jb"},
		{"not UTF-8", "a\x9bb", "a�b"},
		{"direction override", "a\u202eb", "a�b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for size := 1; size <= len(c.in); size++ { // in pieces, too
				var out bytes.Buffer
				w := newVisible(&out)
				for rest := c.in; rest != ""; {
					n := min(size, len(rest))
					if got, err := w.Write([]byte(rest[:n])); got != n || err != nil {
						t.Fatal(got, err)
					}
					rest = rest[n:]
				}
				if out.String() != c.want {
					t.Errorf("pieces of %d: %q, want %q", size, out.String(), c.want)
				}
			}
		})
	}
}

// Every paper spec is examined to its end where nothing of the hub is here.
func TestDoctorWithoutWeights(t *testing.T) {
	t.Setenv("HF_HUB_OFFLINE", "1")
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("INFNET_DATA", filepath.Join("..", "..", "..", "shared", "data"))
	specs, err := filepath.Glob("../../experiments/paper/*.toml")
	if err != nil || len(specs) != 17 {
		t.Fatal(len(specs), err)
	}
	absent := 0
	for _, spec := range specs {
		t.Run(filepath.Base(spec), func(t *testing.T) {
			var out, errs bytes.Buffer
			code := Run(context.Background(), []string{"doctor", spec, "--store", t.TempDir()}, strings.NewReader(""),
				&out, &errs)
			if code != ExitOK && code != ExitModel {
				t.Skipf("exit code %d: its data is not here: %s", code, errs.String())
			}
			if strings.Contains(out.String(), "on the hub, and not on this machine") {
				absent++
				if !strings.Contains(out.String(), "→ infnet collect fetches them") {
					t.Error("no fix:", out.String())
				}
			}
		})
	}
	t.Logf("%d specs lack weights", absent)
}
