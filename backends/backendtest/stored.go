package backendtest

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends/runtime/number"
	"infnet/backends/runtime/safetensors"
)

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
