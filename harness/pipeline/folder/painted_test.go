package folder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A picture is painted again where the drawing, the file or what is remembered of it is another one.
func TestPaintedAgain(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(t *testing.T, dir string)
		drawing string
		again   bool
	}{
		{name: "nothing changed", drawing: "a"},
		{name: "another drawing", drawing: "b", again: true},
		{name: "another file", drawing: "a", again: true, change: func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, Figures, "x.png"), "scribble")
		}},
		{name: "no file", drawing: "a", again: true, change: func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, Figures, "x.png")); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "no memory", drawing: "a", again: true, change: func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, Cache)); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a damaged memory", drawing: "a", again: true, change: func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, Cache, "painted.json"), "{")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			first := readPainted(dir)
			data, err := first.paint("x.png", "a", func() ([]byte, error) { return []byte("picture of a"), nil })
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(dir, Figures, "x.png"), string(data))
			first.keep()
			if tt.change != nil {
				tt.change(t, dir)
			}
			again := false
			data, err = readPainted(dir).paint("x.png", tt.drawing, func() ([]byte, error) {
				again = true
				return []byte("picture of " + tt.drawing), nil
			})
			if err != nil || again != tt.again || string(data) != "picture of "+tt.drawing {
				t.Errorf("painted again: %v, want %v; %q (%v)", again, tt.again, data, err)
			}
		})
	}
}

func TestPaintingFails(t *testing.T) {
	broken := errors.New("no paint")
	if _, err := readPainted(t.TempDir()).paint("x.png", "a",
		func() ([]byte, error) { return nil, broken }); err != broken {
		t.Errorf("%v, want %v", err, broken)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
