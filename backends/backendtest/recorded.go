package backendtest

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
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

// Len returns how many there are.
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
		for i, v := range data {
			data[i] = format.Widen(format.Narrow(v))
		}
		tensors = append(tensors, safetensors.Tensor{Name: name, DType: as, Shape: f.Shape(name), Data: data})
	}
	var b bytes.Buffer
	if err := safetensors.Write(&b, tensors); err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{"model.safetensors": {Data: b.Bytes()}}
	err = fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "safetensors") {
			return err
		}
		data, err := fs.ReadFile(folder, path)
		out[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
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
				a := answer(t, m, reqs[i:i+1])[0]
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
