package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"infnet/backends"
)

// kinds are the kinds of files, each with three records written and a reader of
// all of them. Scores are embeddings of pairs.
func kinds() []kind {
	embedder := backends.ModelID{ID: "embedder", Revision: "1", Kind: backends.Local}
	served := func(i int) Served {
		return Served{Server: "vllm", Version: fmt.Sprint("0.", i), Fingerprint: fmt.Sprint("f", i)}
	}
	return []kind{
		{"answers", func(t testing.TB, s *Store) {
			a := must(s.WriteAnswers(testID))(t)
			defer a.Close()
			must(a.Append(records(0, 3)))(t)
		}, func(s *Store) (string, error) {
			a, err := s.Answers(testID)
			if err != nil {
				return "", err
			}
			defer a.Close()
			all := ""
			for i := range 3 {
				r, ok, err := a.Get(key(i))
				if err != nil {
					return "", err
				}
				all += fmt.Sprintln(r, ok)
			}
			return all, nil
		}},
		{"failures", func(t testing.TB, s *Store) {
			a := must(s.WriteAnswers(testID))(t)
			defer a.Close()
			for i := range 3 {
				if err := a.Fail([]Failed{{Key: key(i), Example: fmt.Sprint(i),
					Failure: backends.Failure{Cause: backends.BadRequest, Status: 400, Message: "no"}}}); err != nil {
					t.Fatal(err)
				}
			}
		}, func(s *Store) (string, error) {
			a, err := s.Answers(testID)
			if err != nil {
				return "", err
			}
			defer a.Close()
			all := ""
			for i := range 3 {
				f, ok, err := a.Failure(key(i))
				if err != nil {
					return "", err
				}
				all += fmt.Sprintln(f, ok)
			}
			return all, nil
		}},
		{"embeddings", func(t testing.TB, s *Store) {
			v := must(s.WriteVectors(embedder))(t)
			defer v.Close()
			must(v.Append([]Vector{{"a", []float32{1, 2}}, {"b", []float32{3, 4}}, {"c", []float32{5, 6}}}))(t)
		}, func(s *Store) (string, error) {
			v, err := s.Vectors(embedder)
			if err != nil {
				return "", err
			}
			defer v.Close()
			all := ""
			for _, text := range []string{"a", "b", "c"} {
				x, ok, err := v.Get(text)
				if err != nil {
					return "", err
				}
				all += fmt.Sprintln(x, ok)
			}
			return all, nil
		}},
		{"servers", func(t testing.TB, s *Store) {
			for i := range 3 {
				must(s.AddServed(testID.Model, served(i)))(t)
			}
		}, func(s *Store) (string, error) {
			found, err := s.Served(testID.Model)
			return fmt.Sprintln(found), err
		}},
	}
}

type kind struct {
	name  string
	write func(testing.TB, *Store)
	read  func(*Store) (string, error)
}

// fileOf returns the file that holds a kind.
func fileOf(t testing.TB, s *Store, kind string) string {
	t.Helper()
	for _, path := range glob(t, s, "*.jsonl") {
		if bytes.HasPrefix(read(t, path), []byte(`{"infnet":"`+kind+`"`)) {
			return path
		}
	}
	t.Fatalf("no file of %s", kind)
	return ""
}

// Whatever bit of the last two lines is flipped, in whatever file, and wherever
// the file breaks off (tried at every fifth byte): all is read as it was written, or the file is refused
// with its name, or Notice hears of the line. Nothing is missing in silence.
func TestNothingMissingInSilence(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of reads, one after the other")
	}
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			dir := t.TempDir()
			k.write(t, Open(dir, Options{}))
			path := fileOf(t, Open(dir, Options{}), k.name)
			whole := read(t, path)
			lines := bytes.SplitAfter(whole, []byte("\n"))
			from := len(whole) - len(lines[2]) - len(lines[3])
			want, err := k.read(Open(dir, Options{}))
			if err != nil {
				t.Fatal(err)
			}
			refused, told := 0, 0
			check := func(what string, file []byte) {
				t.Helper()
				overwrite(t, path, file)
				var heard []Torn
				s := Open(dir, Options{Notice: func(torn Torn) { heard = append(heard, torn) }})
				got, err := k.read(s)
				var c *CorruptError
				switch {
				case errors.As(err, &c):
					refused++
					if c.Path != path || c.Line < 3 {
						t.Fatalf("%s: %v", what, err)
					}
				case err != nil:
					t.Fatalf("%s: %v", what, err)
				case len(heard) == 1:
					told++
					if last := len(file) - bytes.LastIndexByte(file, '\n') - 1; heard[0].Path != path || heard[0].Holds != k.name ||
						heard[0].Bytes != int64(last) {
						t.Fatalf("%s: told %v, want %d bytes", what, heard[0], last)
					}
				case got != want:
					t.Fatalf("%s: nothing was said, and read is\n%swant\n%s", what, got, want)
				}
			}
			const step = 5 // prime to the eight bits
			flips := 0
			for at := from; at < len(whole); at += step {
				flips++
				damaged := bytes.Clone(whole)
				damaged[at] ^= 1 << (at % 8)
				check(fmt.Sprintf("bit %d of byte %d", at%8, at-from), damaged)
			}
			if told != 0 || refused < flips-16/step { // but for the case of the checksum's digits
				t.Errorf("%d flips refused, %d taken for a torn line; no flip makes a torn line", refused, told)
			}
			refused, told = 0, 0
			cuts := 0
			for cut := from + 1; cut < len(whole); cut += step {
				if whole[cut-1] == '\n' {
					continue // the end of a shorter file, which looks whole
				}
				check(fmt.Sprintf("cut at %d", cut-from), whole[:cut])
				cuts++
			}
			if refused != 0 || told != cuts {
				t.Errorf("%d cuts refused, %d told of %d", refused, told, cuts)
			}
		})
	}
}

// What somebody does to a file that is being written.
func TestFileTakenAway(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(path string) error
		want string
	}{
		{"deleted", os.Remove, "deleted or moved"},
		{"deleted with its folder", func(p string) error { return os.RemoveAll(filepath.Dir(p)) }, "deleted or moved"},
		{"moved", func(p string) error { return os.Rename(p, p+".old") }, "deleted or moved"},
		{"moved with its folder", func(p string) error { return os.Rename(filepath.Dir(p), filepath.Dir(p)+".old") },
			"deleted or moved"},
		{"replaced by a copy", func(p string) error {
			b, err := os.ReadFile(p)
			return errors.Join(err, os.WriteFile(p+".new", b, 0o666), os.Rename(p+".new", p))
		}, "another file took its place"},
		{"emptied", func(p string) error { return os.Truncate(p, 0) }, "it has 0 bytes where"},
		{"cut", func(p string) error { return os.Truncate(p, 300) }, "it has 300 bytes where"},
		{"appended to", func(p string) error { return appendTo(p, "x") }, "another process changed it"},
		{"followed by a folder", func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o777)) },
			"another file took its place"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, k := range kinds()[:3] { // servers are written at once and closed
				var writer interface{ Close() error }
				var more func() (int, error)
				s := Open(filepath.Join(t.TempDir(), "store"), Options{})
				k.write(t, s)
				path := fileOf(t, s, k.name)
				switch k.name {
				case "answers":
					a := must(s.WriteAnswers(testID))(t)
					writer, more = a, func() (int, error) { return a.Append(records(3, 5)) }
				case "failures":
					a := must(s.WriteAnswers(testID))(t)
					tries := 0
					fail := func() (int, error) {
						tries++ // a failure that is recorded already would not be written
						return 0, a.Fail([]Failed{{Key: key(4),
							Failure: backends.Failure{Cause: backends.TooLong, Message: fmt.Sprint("try ", tries)}}})
					}
					must(fail())(t) // which opens the file
					writer, more = a, fail
				case "embeddings":
					v := must(s.WriteVectors(backends.ModelID{ID: "embedder", Revision: "1", Kind: backends.Local}))(t)
					writer, more = v, func() (int, error) { return v.Append([]Vector{{"d", []float32{7, 8}}}) }
				}
				before := read(t, path)
				if err := test.do(path); err != nil {
					t.Fatal(err)
				}
				n, err := more()
				var w *WriteError
				if n != 0 || !errors.As(err, &w) || w.Path != path || !bytes.Contains([]byte(err.Error()), []byte(test.want)) {
					t.Errorf("%s: %d counted, %v; want none, and %q", k.name, n, err, test.want)
				}
				if _, again := more(); !errors.Is(again, err) {
					t.Errorf("%s: then %v", k.name, again)
				}
				writer.Close()
				if b, err := os.ReadFile(path); err == nil && bytes.HasPrefix(b, before) && len(b) > len(before)+1 {
					t.Errorf("%s: something was written all the same", k.name)
				}
			}
		})
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
