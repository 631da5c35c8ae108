package safetensors

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"infnet/backends/runtime/number"
)

func raw(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, data)...)
}

func TestCorruptFiles(t *testing.T) {
	const a = `"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "corrupt header: the file has 0 bytes"},
		{"huge header", binary.LittleEndian.AppendUint64(nil, 1<<62), "claims 4611686018427387904 bytes of a file of 8"},
		{"not JSON", raw("hello", 0), "not a JSON object"},
		{"cut JSON", raw(`{"a":`, 0), "corrupt header"},
		{"after the object", raw("{"+a+"}x", 8), "1 bytes after the JSON object"},
		{"twice", raw("{"+a+","+a+"}", 8), `tensor "a" is listed twice`},
		{"unknown type", raw(`{"a":{"dtype":"Q4","shape":[2],"data_offsets":[0,8]}}`, 8), `tensor "a": unknown dtype "Q4"`},
		{"several wrong, and the first by name is named",
			raw(`{"c":{"dtype":"F32","shape":[2],"data_offsets":[4,12]},"b":{"dtype":"Q4"},"a":{"dtype":"Q5"},`+
				`"d":{"dtype":"Q6"}}`, 8), `tensor "a": unknown dtype "Q5"`},
		{"negative shape", raw(`{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}`, 8),
			`tensor "a": impossible shape [-2]`},
		{"overflowing shape", raw(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}}`, 8),
			"impossible shape"},
		{"outside", raw(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`, 8),
			`tensor "a": bytes 4 to 12 lie outside the file's 8 bytes`},
		{"backwards", raw(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, 8), "bytes 8 to 0 lie outside"},
		{"wrong size", raw(`{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,8]}}`, 8),
			"shape [2] of BF16 takes 4 bytes, its offsets span 8"},
		{"overlap", raw("{"+a+`,"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`, 12),
			`tensor "b": bytes 4 to 12 overlap those of tensor "a", which end at 8`},
		{"hole", raw("{"+a+`,"b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]}}`, 16),
			`tensor "b": starts at byte 12, but the tensor before it ends at 8`},
		{"cut numbers", raw("{"+a+"}", 4), "lie outside the file's 4 bytes"},
		{"trailing numbers", raw("{"+a+"}", 12), "the tensors take 8 bytes, the file holds 12"},
		{"bad metadata", raw(`{"__metadata__":{"x":1}}`, 0), "__metadata__"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(fstest.MapFS{"model.safetensors": {Data: c.file}})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "model.safetensors: ") {
				t.Fatalf("error %v, want one from model.safetensors with %q", err, c.want)
			}
		})
	}
}

func write(t *testing.T, tensors ...Tensor) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, tensors); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

func TestReadBack(t *testing.T) {
	data := []float32{1, -2.5, 0, 1024, -0.0078125, 3}
	for _, dt := range []DType{F32, F16, BF16} {
		f, err := Open(fstest.MapFS{"model.safetensors": write(t, Tensor{"w", dt, []int{2, 3}, data})})
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Read("w", 2, 3)
		if err != nil || !cmp.Equal(got, data) {
			t.Errorf("%s: %v, %v", dt, got, err)
		}
		if _, err := f.Read("w", 3, 2); err == nil ||
			!strings.Contains(err.Error(), `tensor "w" has shape [2 3]: want [3 2]`) {
			t.Errorf("wrong shape: %v", err)
		}
		if _, err := f.Read("v", 3, 2); err == nil || !strings.Contains(err.Error(), `tensor "v" is missing`) {
			t.Errorf("missing: %v", err)
		}
	}
}

func TestShards(t *testing.T) {
	one := write(t, Tensor{"a", F32, []int{1}, []float32{1}})
	two := write(t, Tensor{"b", BF16, []int{1}, []float32{2}})
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	f, err := Open(fstest.MapFS{"model.safetensors.index.json": text(
		`{"weight_map":{"a":"1.safetensors","b":"2.safetensors"}}`), "1.safetensors": one, "2.safetensors": two})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Names(); !cmp.Equal(got, []string{"a", "b"}) {
		t.Errorf("names %v", got)
	}
	if b, err := f.Read("b", 1); err != nil || b[0] != 2 {
		t.Errorf("b = %v, %v", b, err)
	}
	for _, c := range []struct{ name, index, want string }{
		{"no weights", "", "neither model.safetensors nor model.safetensors.index.json"},
		{"not JSON", "[", "model.safetensors.index.json: "},
		{"empty map", "{}", "weight_map is missing or empty"},
		{"path", `{"weight_map":{"a":"../1.safetensors"}}`, `tensor "a": shard "../1.safetensors" is not a plain file name`},
		{"no such shard", `{"weight_map":{"a":"3.safetensors"}}`, `tensor "a": open 3.safetensors`},
		{"not in its shard", `{"weight_map":{"b":"1.safetensors"}}`, `tensor "b" is not in shard 1.safetensors`},
	} {
		fsys := fstest.MapFS{"1.safetensors": one}
		if c.index != "" {
			fsys["model.safetensors.index.json"] = text(c.index)
		}
		if _, err := Open(fsys); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, c := range []struct {
		tensors []Tensor
		want    string
	}{
		{[]Tensor{{"a", F32, []int{2}, []float32{1}}}, `tensor "a": 1 numbers for shape [2]`},
		{[]Tensor{{"a", "I8", []int{1}, []float32{1}}}, `dtype "I8" cannot be written`},
		{[]Tensor{{"a", F32, nil, []float32{1}}, {"a", F32, nil, []float32{1}}}, `tensor "a": written twice`},
	} {
		if err := Write(&bytes.Buffer{}, c.tensors); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// Rows come whole, in order, in the stored format, however many a read brings.
func TestRowsOfLargeTensors(t *testing.T) {
	const n, k = 700, 1009 // several reads of a megabyte, the last one short
	data := make([]float32, n*k)
	for i := range data {
		data[i] = float32(i % 251)
	}
	for _, dt := range []DType{F32, F16, BF16} {
		f, err := Open(fstest.MapFS{"model.safetensors": write(t, Tensor{"w", dt, []int{n, k}, data})})
		if err != nil {
			t.Fatal(err)
		}
		next, reads := 0, 0
		err = f.Rows("w", func(first int, rows number.Slice) {
			if first*k != next || rows.Len()%k != 0 || rows.Format != f.Format("w") {
				t.Fatalf("%s: %d numbers of format %d from row %d on, after %d numbers", dt, rows.Len(), rows.Format, first, next)
			}
			got := make([]float32, rows.Len())
			rows.Copy(got)
			if !slices.Equal(got, data[next:next+len(got)]) {
				t.Fatalf("%s: row %d and on differ", dt, first)
			}
			next, reads = next+len(got), reads+1
		}, n, k)
		if err != nil || next != n*k || reads < 2 {
			t.Errorf("%s: %d numbers in %d reads, error %v", dt, next, reads, err)
		}
		if whole, err := f.Read("w", n, k); err != nil || !slices.Equal(whole, data) {
			t.Errorf("%s: read whole: error %v", dt, err)
		}
	}
}

// No file, however broken, panics, and what opens can be read.
func FuzzOpen(f *testing.F) {
	f.Add(raw(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8))
	f.Add(raw(`{"__metadata__":{"format":"pt"},"a":{"dtype":"F16","shape":[],"data_offsets":[0,2]}}`, 2))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		folder, err := Open(fstest.MapFS{"model.safetensors": {Data: data}})
		if err != nil {
			return
		}
		for _, name := range folder.Names() {
			e := folder.where[name].entries[name]
			shape, n := make([]int, len(e.Shape)), 1
			for i, s := range e.Shape {
				shape[i] = int(s)
				n *= int(s)
			}
			if x, err := folder.Read(name, shape...); err == nil && len(x) != n {
				t.Fatalf("tensor %q: %d numbers for shape %v", name, len(x), shape)
			}
		}
	})
}
