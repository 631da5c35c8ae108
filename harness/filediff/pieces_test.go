package filediff

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files longer than what is read at a time are equal where every piece is, and
// differ where one byte does, wherever it is.
func TestLongFilesAreComparedToTheEnd(t *testing.T) {
	const piece = 1 << 16 // more than what is read at a time
	dir := t.TempDir()
	line := `{"id":"7","x":1}` + "\n"
	long := strings.Repeat(line, piece/len(line)*3)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole := long[:2*piece] // ends with a piece
	for _, test := range []struct{ name, kept, again, want string }{
		{name: "equal", kept: long, again: long},
		{name: "equal, and as long as two pieces", kept: whole, again: whole},
		{name: "empty", kept: "", again: ""},
		{name: "the last value", kept: long, again: long[:len(long)-3] + "2}\n", want: "record 7: x is 1, made again 2"},
		{name: "a line more", kept: whole, again: whole + "\n", want: "differs in how its lines end"},
		{name: "an end", kept: long, again: long[:piece], want: "line "},
	} {
		for _, ext := range []string{".jsonl", ".txt"} {
			got, err := First(write("kept"+ext, test.kept), write("again"+ext, test.again))
			want := test.want
			if ext == ".txt" && want != "" {
				want = "" // lines of text name no value
			}
			if err != nil || (got == "") != (test.want == "") || !strings.Contains(got, want) {
				t.Errorf("%s, %s: %q, %v; want %q", test.name, ext, got, err, want)
			}
		}
	}
	if _, err := First(filepath.Join(dir, "none"), write("there.jsonl", long)); err == nil {
		t.Error("no error of a file that is not there")
	}
}
