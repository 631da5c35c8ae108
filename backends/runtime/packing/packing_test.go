package packing

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/number"
	"infnet/backends/runtime/safetensors"
)

// folder writes tensors of whole numbers, which every format holds exactly, and
// returns them with the numbers.
func folder(t interface{ Fatal(...any) }, types map[string]safetensors.DType, n, k int) (*safetensors.Folder,
	map[string][]float32) {
	var tensors []safetensors.Tensor
	numbers := map[string][]float32{}
	for _, name := range []string{"a", "b", "c"} {
		data := make([]float32, n*k)
		for i := range data {
			data[i] = float32((i*7+int(name[0])*31)%255 - 127)
		}
		numbers[name] = data
		tensors = append(tensors, safetensors.Tensor{Name: name, DType: types[name], Shape: []int{n, k}, Data: data})
	}
	var b bytes.Buffer
	if err := safetensors.Write(&b, tensors); err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Open(fstest.MapFS{"model.safetensors": {Data: b.Bytes()}})
	if err != nil {
		t.Fatal(err)
	}
	return f, numbers
}

// Outputs and inputs of heads lie where a plain loop puts them, the padding is
// zero, and equal formats stay as they are stored.
func TestStackAndSpreadPlaceEveryNumber(t *testing.T) {
	types := []safetensors.DType{safetensors.F32, safetensors.F16, safetensors.BF16}
	formats := map[safetensors.DType]number.Format{safetensors.F32: number.Float32, safetensors.F16: number.Float16,
		safetensors.BF16: number.BFloat16}
	rapid.Check(t, func(t *rapid.T) {
		heads, size := rapid.IntRange(1, 4).Draw(t, "heads"), rapid.IntRange(1, 40).Draw(t, "size")
		k, pad := rapid.IntRange(1, 50).Draw(t, "k"), kernel.Round(size)
		a, b := rapid.SampledFrom(types).Draw(t, "a"), rapid.SampledFrom(types).Draw(t, "b")
		f, numbers := folder(t, map[string]safetensors.DType{"a": a, "b": b, "c": b}, heads*size, k)
		m, err := Stack(f, k, pad, size, Part{"a", heads}, Part{"b", heads}, Part{"c", heads})
		if err != nil {
			t.Fatal(err)
		}
		want := formats[a]
		if a != b {
			want = number.Float32
		}
		if m.Format() != want {
			t.Fatalf("tensors of %s and %s are kept in format %d", a, b, m.Format())
		}
		row := make([]float32, k)
		for i := range m.N {
			m.Row(row, i)
			part, in := i/(heads*pad), i%(heads*pad)
			for j, got := range row {
				var want float32
				if in%pad < size {
					want = numbers[string(rune('a'+part))][(in/pad*size+in%pad)*k+j]
				}
				if got != want {
					t.Fatalf("output %d, input %d is %v, want %v", i, j, got, want)
				}
			}
		}
		spread(t, a, heads, size, k)
	})
}

func spread(t *rapid.T, dtype safetensors.DType, heads, size, n int) {
	f, numbers := folder(t, map[string]safetensors.DType{"a": dtype, "b": dtype, "c": dtype}, n, heads*size)
	pad := kernel.Round(size)
	m, err := Spread(f, "b", n, Heads{heads, size, pad})
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float32, heads*pad)
	for i := range n {
		m.Row(row, i)
		for j, got := range row {
			var want float32
			if j%pad < size {
				want = numbers["b"][(i*heads+j/pad)*size+j%pad]
			}
			if got != want {
				t.Fatalf("spread: output %d, input %d is %v, want %v", i, j, got, want)
			}
		}
	}
}

// A config that asks for more than the file has is refused before memory is.
func TestImpossibleSizesAreRefused(t *testing.T) {
	types := map[string]safetensors.DType{"a": safetensors.BF16, "b": safetensors.BF16, "c": safetensors.BF16}
	f, _ := folder(t, types, 2, 3)
	const huge = math.MaxInt / 8
	for what, err := range map[string]error{
		"stack":  second(Stack(f, 3, huge, 1, Part{"a", 2}, Part{"b", huge})),
		"spread": second(Spread(f, "a", 2, Heads{1, huge, huge})),
		"matrix": second(Matrix(f, "nothing", huge, 1)),
	} {
		if err == nil || !strings.Contains(err.Error(), "shape") && !strings.Contains(err.Error(), "missing") {
			t.Errorf("%s: error %v", what, err)
		}
	}
}

func second(_ *kernel.Matrix, err error) error { return err }
