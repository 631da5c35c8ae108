package finetune

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"infnet/backends/runtime/safetensors"
	"infnet/harness/regular"
	"infnet/harness/router"
)

// A checkpoint is two files named by the hash of what was learned from:
// HASH.safetensors, the weights in float32 under their names, and HASH.json.
// The second is written last and names the digest of the first: without it, or
// where the two do not agree, there is no checkpoint.

// kept is HASH.json.
type kept struct {
	Calibration router.Calibration
	Report      router.Report
}

// name is the hash of everything that shapes what a task leads to.
func (l *Learner) name(t router.Task) string {
	h := sha256.New()
	text := func(s string) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	text(l.Key())
	text(fmt.Sprint(t.Seed, t.Answered))
	text(t.Name)
	for _, i := range t.ByID() {
		s := t.Samples[i]
		text(s.ID)
		text(s.Group)
		text(s.Query)
		if t.Answered {
			text(s.Answer)
		}
		text(fmt.Sprint(math.Float64bits(t.Labels[i])))
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

func (l *Learner) path(t router.Task, ending string) string {
	return filepath.Join(l.o.Cache, "encoder-"+l.name(t)+ending)
}

// Kept reports whether a checkpoint of the task is there, as far as its name
// says.
func (l *Learner) Kept(t router.Task) bool {
	if l.o.Cache == "" {
		return false
	}
	_, err := os.Stat(l.path(t, ".json"))
	return err == nil
}

// load returns what the same task led to before, if it was kept and is whole.
func (l *Learner) load(t router.Task) (*predictor, router.Report, bool) {
	if l.o.Cache == "" {
		return nil, router.Report{}, false
	}
	text, err := regular.ReadFile(l.path(t, ".json"))
	if err != nil {
		return nil, router.Report{}, false
	}
	var k kept
	if json.Unmarshal(text, &k) != nil {
		return nil, router.Report{}, false
	}
	f, err := safetensors.Open(one{l.path(t, ".safetensors")})
	if err != nil {
		return nil, router.Report{}, false
	}
	defer f.Close()
	s := &predictor{learner: l, answered: t.Answered, calibration: k.Calibration}
	for _, slot := range l.arch.slots() {
		data, err := f.Read(slot.name, slot.shape...)
		if err != nil {
			return nil, router.Report{}, false
		}
		s.weights = append(s.weights, data)
	}
	if s.digest() != k.Report.Digest {
		return nil, router.Report{}, false
	}
	if s.executor, err = openExecutor(l.arch, t.Threads); err != nil {
		return nil, router.Report{}, false
	}
	return s, k.Report, true
}

// save keeps a checkpoint. Both files appear whole or not at all.
func (l *Learner) save(t router.Task, s *predictor, report router.Report) error {
	if l.o.Cache == "" {
		return nil
	}
	report.Wall = 0
	text, err := json.MarshalIndent(kept{s.calibration, report}, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(l.o.Cache, 0o777); err != nil {
		return err
	}
	var tensors []safetensors.Tensor
	for i, slot := range l.arch.slots() {
		tensors = append(tensors, safetensors.Tensor{Name: slot.name, DType: safetensors.F32, Shape: slot.shape,
			Data: s.weights[i]})
	}
	if err := whole(l.path(t, ".safetensors"),
		func(f *os.File) error { return safetensors.Write(f, tensors) }); err != nil {
		return fmt.Errorf("keep a fine-tuned encoder: %w", err)
	}
	return whole(l.path(t, ".json"), func(f *os.File) error {
		_, err := f.Write(append(text, '\n'))
		return err
	})
}

// whole writes a temporary file next to its destination and renames it.
func whole(path string, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f), f.Sync(), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// one shows a single file to safetensors.Open under the name it looks for.
type one struct{ path string }

func (o one) Open(name string) (fs.File, error) {
	if name != "model.safetensors" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return regular.Open(o.path)
}
