package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"infnet/backends/runtime/number"
)

// Tensor is a tensor to write.
type Tensor struct {
	Name  string
	DType DType // F32, F16 or BF16; rounded to nearest, ties to even
	Shape []int
	Data  []float32 // row-major
}

// Write writes a file of tensors, their numbers in the order given. Names must
// differ; the same tensors give the same bytes.
func Write(w io.Writer, tensors []Tensor) error {
	header := map[string]any{}
	var data []byte
	for _, t := range tensors {
		if _, ok := header[t.Name]; ok {
			return fmt.Errorf("tensor %q: written twice", t.Name)
		}
		if t.DType != F32 && t.DType != F16 && t.DType != BF16 {
			return fmt.Errorf("tensor %q: dtype %q cannot be written: want F32, F16 or BF16", t.Name, t.DType)
		}
		n := 1
		for _, s := range t.Shape {
			n *= s
		}
		if n != len(t.Data) {
			return fmt.Errorf("tensor %q: %d numbers for shape %v", t.Name, len(t.Data), t.Shape)
		}
		begin := len(data)
		data = encode(data, t.DType, t.Data)
		header[t.Name] = map[string]any{"dtype": t.DType, "shape": append([]int{}, t.Shape...),
			"data_offsets": [2]int{begin, len(data)}}
	}
	text, err := json.Marshal(header) // sorts the names
	if err != nil {
		return err
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	out = append(append(out, text...), data...)
	_, err = w.Write(out)
	return err
}

// encode appends numbers in a stored type, rounding to nearest, ties to even.
func encode(out []byte, t DType, data []float32) []byte {
	format := formats[t]
	for _, v := range data {
		if format == number.Float32 {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		} else {
			out = binary.LittleEndian.AppendUint16(out, format.Narrow(v))
		}
	}
	return out
}
