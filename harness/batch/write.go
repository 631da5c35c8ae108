package batch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/store"
)

// Limits of one file, by the API reference of OpenAI (Create batch, input_file_id).
const (
	mostRequests = 50_000
	mostBytes    = 200_000_000
)

// Written says what a batch asks, and what it does not.
type Written struct {
	*Manifest
	Skipped   []Subject // models that it does not ask
	Unaskable int       // requests that no call can ask
	Unasked   string    // why, of the first
	Replaced  bool      // an earlier batch was in the folder
}

// Write writes the requests of a study that have no answer in a store into files of a folder, with m as the
// manifest, and removes those of the folder's earlier batch. Where nothing is to be asked it writes nothing.
func Write(ctx context.Context, st *store.Store, m *Manifest, models []Subject, dir string) (*Written, error) {
	old, err := ReadManifest(dir)
	switch {
	case Absent(err):
		old = &Manifest{}
	case err != nil:
		return nil, fault.Usage.Wrap(err)
	case old.Study != m.Study:
		return nil, fault.Usage.Wrap(fmt.Errorf("%s holds a batch of the study %s, whose manifest would be lost: name "+
			"another folder with --out", dir, old.Study))
	}
	w := &writer{store: st, dir: dir, seen: map[backends.Key]bool{}, out: &Written{Manifest: m}}
	for _, s := range models {
		if s.Why != "" {
			w.out.Skipped = append(w.out.Skipped, s)
		} else if err := w.model(ctx, s); err != nil {
			return nil, fmt.Errorf("model %s: %w", s.Name, err)
		}
	}
	if n := len(w.out.Skipped); n == len(models) && n > 0 {
		return nil, fault.Model.Wrap(fmt.Errorf("no model of the study %s can be asked by batch: %s: %s; infnet run asks "+
			"them live", m.Study, models[0].Name, models[0].Why))
	}
	if len(m.Models) == 0 {
		return w.out, nil
	}
	if err := m.write(dir); err != nil {
		return nil, fault.Store.Wrap(err)
	}
	now := m.files()
	for name := range old.files() {
		w.out.Replaced = true
		if now[name] {
			continue
		}
		if err := os.Remove(filepath.Join(dir, filepath.Base(name))); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fault.Store.Wrap(err)
		}
	}
	return w.out, nil
}

func (m *Manifest) files() map[string]bool {
	out := map[string]bool{}
	for _, a := range m.Models {
		for _, p := range a.Files {
			out[p.Name] = true
		}
	}
	return out
}

type writer struct {
	store *store.Store
	dir   string
	seen  map[backends.Key]bool // requests that are written
	out   *Written
}

func (w *writer) model(ctx context.Context, m Subject) (err error) {
	asked := Asked{Model: m.Name, LabelMode: m.LabelMode}
	if asked.Files, err = writeParts(w.dir, m.Name, w.lines(ctx, m, &asked), mostRequests, mostBytes); err != nil {
		return err
	}
	if len(asked.Files) > 0 {
		w.out.Models = append(w.out.Models, asked)
	}
	return nil
}

// lines yields the requests of a model that have no answer, each once: two datasets may hold the same text, and
// a model may have two names.
func (w *writer) lines(ctx context.Context, m Subject, asked *Asked) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, j := range m.Jobs {
			for l, err := range collect.Lacking(ctx, w.store, j) {
				if err != nil {
					yield(nil, err)
					return
				}
				if w.seen[l.Key] {
					continue
				}
				w.seen[l.Key] = true
				call, f := m.Batch.Call(ctx, l.Request)
				if ctx.Err() != nil {
					yield(nil, context.Cause(ctx))
					return
				}
				if f != nil {
					if w.out.Unaskable++; w.out.Unaskable == 1 {
						w.out.Unasked = fmt.Sprintf("%s on %s, record %s: %s", j.Name, j.Dataset, l.ID, f.Message)
					}
					continue
				}
				if l.Failed != nil {
					asked.Failed++
				}
				asked.URL = call.URL
				if !yield(json.Marshal(struct {
					CustomID backends.Key    `json:"custom_id"`
					Method   string          `json:"method"`
					URL      string          `json:"url"`
					Body     json.RawMessage `json:"body"`
				}{l.Key, "POST", call.URL, call.Body})) {
					return
				}
			}
		}
	}
}

// writeParts writes lines into as many files as the limits of one ask for: NAME-001.jsonl, NAME-002.jsonl, ….
func writeParts(dir, name string, lines iter.Seq2[[]byte, error], requests int, bytes int64) (parts []Part, err error) {
	next, stop := iter.Pull2(lines)
	defer stop()
	line, err, more := next()
	for more && err == nil {
		part := Part{Name: fmt.Sprintf("%s-%03d.jsonl", name, len(parts)+1)}
		werr := store.WriteTo(filepath.Join(dir, part.Name), func(to io.Writer) error {
			out := bufio.NewWriter(to)
			for more && err == nil && part.Requests < requests {
				n := int64(len(line)) + 1
				if n > bytes {
					return fmt.Errorf("a request alone has %d bytes, and a file may have %d: shorten its texts", n, bytes)
				}
				if part.Bytes+n > bytes {
					break
				}
				_, _ = out.Write(append(line, '\n')) // Flush says what failed
				part.Requests, part.Bytes = part.Requests+1, part.Bytes+n
				line, err, more = next()
			}
			return errors.Join(err, out.Flush())
		})
		if werr != nil {
			return parts, werr
		}
		parts = append(parts, part)
	}
	return parts, err
}
