// Package safetensors reads and writes the tensor files the Hugging Face hub stores weights in:
// eight bytes of header length, a JSON header, then the numbers. It owns the format and its checks.
// It refuses to know architectures.
//
// Its opinion: a file is either completely valid or refused. Every tensor's bytes must lie inside
// the file, be of the size its shape says and be claimed by it alone, before one number is read;
// errors name the file and the tensor.
package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"

	"infnet/backends/runtime/number"
)

// DType is how a file stores numbers.
type DType string

// The types that can be read as float32. A file may contain others, but reading their numbers is an
// error.
const (
	F32  DType = "F32"
	F16  DType = "F16"
	BF16 DType = "BF16"
)

var formats = map[DType]number.Format{F32: number.Float32, F16: number.Float16, BF16: number.BFloat16}

// sizes are the bytes per element of the types a header may name.
var sizes = map[DType]int64{
	F32: 4, F16: 2, BF16: 2, "F64": 8, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U64": 8, "U32": 4, "U16": 2, "U8": 1,
	"BOOL":    1,
	"F8_E4M3": 1, "F8_E5M2": 1,
}

// maxHeader bounds the header, as the reference implementation does.
const maxHeader = 100 << 20

type entry struct {
	DType   DType    `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

type file struct {
	name    string
	reader  io.ReaderAt
	closer  io.Closer
	start   int64 // offset of the numbers
	entries map[string]entry
}

func open(fsys fs.FS, name string) (*file, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	size := info.Size()
	r, ok := f.(io.ReaderAt)
	if !ok {
		all, err := io.ReadAll(f)
		if err != nil {
			f.Close()
			return nil, err
		}
		r, size = bytes.NewReader(all), int64(len(all))
	}
	out := &file{name: name, reader: r, closer: f}
	if err := out.readHeader(size); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

func (f *file) readHeader(size int64) error {
	var head [8]byte
	if size < int64(len(head)) {
		return fmt.Errorf("corrupt header: the file has %d bytes, fewer than the 8 of the header's length", size)
	}
	if _, err := f.reader.ReadAt(head[:], 0); err != nil {
		return fmt.Errorf("read header: %w", err)
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > maxHeader || int64(n) > size-8 {
		return fmt.Errorf("corrupt header: it claims %d bytes of a file of %d (is the download complete?)", n, size)
	}
	text := make([]byte, n)
	if _, err := f.reader.ReadAt(text, 8); err != nil {
		return fmt.Errorf("read header: %w", err)
	}
	f.start = 8 + int64(n)
	var err error
	if f.entries, err = parseHeader(text); err != nil {
		return fmt.Errorf("corrupt header: %w", err)
	}
	return checkLayout(f.entries, size-f.start)
}

func parseHeader(text []byte) (map[string]entry, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	entries := map[string]entry{}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		if seen[name] {
			return nil, fmt.Errorf("tensor %q is listed twice", name)
		}
		seen[name] = true
		if name == "__metadata__" {
			var meta map[string]string
			if err := d.Decode(&meta); err != nil {
				return nil, fmt.Errorf("__metadata__: %w", err)
			}
			continue
		}
		var e entry
		if err := d.Decode(&e); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		entries[name] = e
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(text[d.InputOffset():], " "); len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes after the JSON object", len(rest))
	}
	return entries, nil
}

// checkLayout proves that the tensors tile the data exactly.
func checkLayout(entries map[string]entry, size int64) error {
	names := slices.Sorted(maps.Keys(entries))
	for _, name := range names {
		if err := entries[name].check(size); err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		x, y := entries[a].Offsets, entries[b].Offsets
		return slices.Compare(x[:], y[:])
	})
	var end int64
	last := ""
	for _, name := range names {
		o := entries[name].Offsets
		if o[0] < end {
			return fmt.Errorf("tensor %q: bytes %d to %d overlap those of tensor %q, which end at %d", name, o[0], o[1],
				last, end)
		}
		if o[0] > end {
			return fmt.Errorf("tensor %q: starts at byte %d, but the tensor before it ends at %d", name, o[0], end)
		}
		end, last = o[1], name
	}
	if end != size {
		return fmt.Errorf("the tensors take %d bytes, the file holds %d (is the download complete?)", end, size)
	}
	return nil
}

func (e entry) check(size int64) error {
	width, ok := sizes[e.DType]
	if !ok {
		return fmt.Errorf("unknown dtype %q", e.DType)
	}
	bytes := width
	for _, n := range e.Shape {
		if n < 0 || n > 0 && bytes > math.MaxInt64/n {
			return fmt.Errorf("impossible shape %v", e.Shape)
		}
		bytes *= n
	}
	if e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] || e.Offsets[1] > size {
		return fmt.Errorf("bytes %d to %d lie outside the file's %d bytes of numbers", e.Offsets[0], e.Offsets[1], size)
	}
	if got := e.Offsets[1] - e.Offsets[0]; got != bytes {
		return fmt.Errorf("shape %v of %s takes %d bytes, its offsets span %d", e.Shape, e.DType, bytes, got)
	}
	return nil
}

// block is about how many bytes of a tensor are read at a time.
const block = 1 << 20

// rows calls do with whole rows of a tensor, in order, in memory that is used again.
func (f *file) rows(name string, do func(first int, rows number.Slice)) error {
	e := f.entries[name]
	format, ok := formats[e.DType]
	if !ok {
		return fmt.Errorf("%s: tensor %q: dtype %s cannot be read: want F32, F16 or BF16", f.name, name, e.DType)
	}
	left := e.Offsets[1] - e.Offsets[0]
	if left == 0 {
		return nil
	}
	row := int64(format.Bytes())
	if n := len(e.Shape); n > 0 {
		row *= e.Shape[n-1]
	}
	raw := make([]byte, min(left, max(1, block/row)*row))
	out := number.Make(format, len(raw)/format.Bytes())
	for at := int64(0); at < left; at += int64(len(raw)) {
		raw = raw[:min(int64(len(raw)), left-at)]
		if n, err := f.reader.ReadAt(raw, f.start+e.Offsets[0]+at); n < len(raw) {
			return fmt.Errorf("%s: tensor %q: %w", f.name, name, err)
		}
		out = out.Sub(0, len(raw)/format.Bytes())
		decode(out, raw)
		do(int(at/row), out)
	}
	return nil
}

func decode(out number.Slice, raw []byte) {
	for i := range out.Wide {
		out.Wide[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	for i := range out.Halves {
		out.Halves[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
}
