package spec_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"infnet/harness/spec"
	"infnet/harness/spec/place"
)

// Whatever the bytes, Load ends with a study or with problems that stand
// within the file and hold nothing that could move a terminal's cursor.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/broken/*.toml", "testdata/valid/*.toml"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	for _, s := range []string{
		"a = " + strings.Repeat("[", 20000), "x.y.z = 1\n[x.y]\nw = 2\n", "[[models]]\n[models.a]\n[[models.a.b]]\n",
		"\"\" = 1\n\"a.b\".c = 2\n",
		"study = \"\\U0010FFFF\"\r\nseed=9223372036854775807", "\xff\xfe", "[policy]\ntarget = 1e-300\n",
		"[policy]\ntarget = \"1e-999999999\"\n", "models = [[[{}]]]\n",
		"[collect]\ntimeout = \"99999999999h\"\n",
		"a = 1979-05-27T07:32:00Z\nb = inf\nc = nan\n[split]\nfit = nan\nlimit = -0x1\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := spec.LoadFS(files(string(data)), "valid/s.toml", options())
		if err == nil {
			if s.Hash == "" || len(s.Cascades) == 0 {
				t.Error("a study without hash or cascades")
			}
			return
		}
		var ps place.Problems
		if !errors.As(err, &ps) || len(ps) == 0 {
			t.Fatalf("the error is a %T", err)
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, p := range ps {
			if p.Line < 0 || p.Line > lines || p.Column < 0 {
				t.Errorf("%+v is outside the file's %d lines", p, lines)
			}
		}
		for _, r := range err.Error() {
			if r != '\n' && unicode.IsControl(r) {
				t.Errorf("the message holds %q", r)
			}
		}
	})
}
