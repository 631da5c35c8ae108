package backendtest

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends"
	"infnet/backends/runtime/number"
	"infnet/backends/runtime/safetensors"
)

// Recorded is backends.Recordings in memory.
type Recorded map[backends.Key]backends.Answer

func (m Recorded) Len() int { return len(m) }

// Answer returns one of them.
func (m Recorded) Answer(k backends.Key) (a backends.Answer, ok bool, err error) {
	a, ok = m[k]
	return a, ok, nil
}

// Stored returns a model folder with all weights rounded to a format and stored as a type that holds
// them: the same values in 16 bits and in float32.
func Stored(t *testing.T, folder fs.FS, format number.Format, as safetensors.DType) fstest.MapFS {
	t.Helper()
	return Changed(t, folder, func(x safetensors.Tensor) []safetensors.Tensor {
		for i, v := range x.Data {
			x.Data[i] = format.Widen(format.Narrow(v))
		}
		x.DType = as
		return []safetensors.Tensor{x}
	})
}

// Changed returns a model folder, in one file, with what change makes of each tensor, which it gets in float32.
func Changed(t *testing.T, folder fs.FS, change func(safetensors.Tensor) []safetensors.Tensor) fstest.MapFS {
	t.Helper()
	f, err := safetensors.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var tensors []safetensors.Tensor
	for _, name := range f.Names() {
		data, err := f.Read(name, f.Shape(name)...)
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, change(safetensors.Tensor{Name: name, DType: safetensors.F32, Shape: f.Shape(name),
			Data: data})...)
	}
	var b bytes.Buffer
	if err := safetensors.Write(&b, tensors); err != nil {
		t.Fatal(err)
	}
	out := Folder(t, folder)
	maps.DeleteFunc(out, func(name string, _ *fstest.MapFile) bool { return strings.Contains(name, "safetensors") })
	out["model.safetensors"] = &fstest.MapFile{Data: b.Bytes()}
	return out
}

// Folder reads a folder into memory, where a test may change it.
func Folder(t *testing.T, folder fs.FS) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(folder, name)
		out[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Edit replaces the first of a text in a file of a folder.
func Edit(t *testing.T, folder fstest.MapFS, file, from, to string) {
	t.Helper()
	was := string(folder[file].Data)
	if !strings.Contains(was, from) {
		t.Fatalf("%s has no %s", file, from)
	}
	folder[file] = &fstest.MapFile{Data: []byte(strings.Replace(was, from, to, 1))}
}

// StoredBits compares the bits that a folder's weights give, rounded to 16 bits: stored so and as float32 they are the
// same, and of float16 they are want.
func StoredBits(t *testing.T, folder fs.FS, bits func(fstest.MapFS) string, want string) {
	t.Helper()
	for format, dtype := range map[number.Format]safetensors.DType{number.BFloat16: safetensors.BF16,
		number.Float16: safetensors.F16} {
		as := bits(Stored(t, folder, format, dtype))
		if wide := bits(Stored(t, folder, format, safetensors.F32)); as != wide {
			t.Errorf("%s in %s, %s in float32", as, dtype, wide)
		}
		if dtype == safetensors.F16 && as != want {
			t.Errorf("bits %s, want %s", as, want)
		}
	}
}

// Reply is what a server says in the place of a good reply, and the cause of the failure that it leads to.
type Reply struct {
	Name   string
	Status int // 0 = 200
	Says   func(good string) string
	Cause  backends.Cause
}

// RunReplies puts replies in the place of a server's, for each of some requests. Each is the failure that it should be,
// with no answer next to it, and is asked for once: retry alone retries. What can go wrong on the way of any call is a
// matter of backends/wire, and openai's tests have it.
func RunReplies(t *testing.T, server http.Handler, open func(t *testing.T, url string) backends.Model,
	reqs []backends.Request, replies []Reply) {
	t.Helper()
	for _, reply := range replies {
		t.Run(reply.Name, func(t *testing.T) {
			calls := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				good := httptest.NewRecorder()
				server.ServeHTTP(good, r)
				calls++
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(cmp.Or(reply.Status, http.StatusOK))
				_, _ = io.WriteString(w, reply.Says(good.Body.String()))
			}))
			defer s.Close()
			m := open(t, s.URL)
			for i, r := range reqs {
				a := all(t, m.Answer, reqs[i:i+1])[0]
				if f := a.Failure; f == nil || f.Cause != reply.Cause || f.Message == "" && f.Status == 0 {
					t.Errorf("request %d: %+v, %q: want cause %s, and a message", i, f, a.Text, reply.Cause)
				} else if a.Key != r.Key() || a.Text != "" || a.Tokens != nil || a.Labels != nil || a.Usage != (backends.Usage{}) {
					t.Errorf("request %d: a failure together with an answer: %+v", i, a)
				}
			}
			if calls != len(reqs) {
				t.Errorf("%d requests took %d calls", len(reqs), calls)
			}
		})
	}
}
