package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The first difference is named with both versions; no difference is overlooked, wherever it is.
func TestDifference(t *testing.T) {
	far := strings.Repeat("x", 500)
	long := strings.Repeat(`{"id":"7","x":1}`+"\n", 12_000) // more than what is read at a time
	for _, tt := range []struct {
		name, kept, again string
		want              string // "" = equal
	}{
		{name: "equal", kept: "x\n", again: "x\n"},
		{name: "empty"},
		{name: "long and equal", kept: long, again: long},
		{name: "a line", kept: "x\ny\n", again: "x\nz\n", want: "line 2 is\n    y\n  and made again\n    z"},
		{name: "a line that is missing", kept: "x\n", again: "x\nz\n",
			want: "line 2 is\n    (no such line)\n  and made again\n    z"},
		{name: "far into a line", kept: far + "1", again: far + "2", want: "…" + strings.Repeat("x", 40) + "1"},
		{name: "line ends", kept: "x\r\n", again: "x\n", want: "differs in how its lines end"},
		{name: "bytes", kept: "ab\x00c", again: "ab\x00d", want: "differs from byte 4 on"},
		{name: "the last line of many", kept: long, again: long[:len(long)-3] + "2}\n", want: "line 12000 is"},
		{name: "an end", kept: long, again: long[:1<<16], want: "line 3856 is"}, // ⌊2¹⁶/17⌋ + 1
	} {
		dir := t.TempDir()
		kept, again := filepath.Join(dir, "kept"), filepath.Join(dir, "again")
		for path, text := range map[string]string{kept: tt.kept, again: tt.again} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := difference(kept, again)
		if err != nil || (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
		if _, err := difference(kept, filepath.Join(dir, "none")); err == nil {
			t.Error("no error of a file that is not there")
		}
	}
}
