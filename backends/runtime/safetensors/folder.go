package safetensors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"infnet/backends/runtime/number"
)

// The names the hub gives to weights in one file and in several.
const (
	single = "model.safetensors"
	index  = "model.safetensors.index.json"
)

// Folder is the tensors of a model, in one file or in shards.
type Folder struct {
	files []*file
	where map[string]*file
}

// Open opens a model folder's weights: model.safetensors, or the shards that
// model.safetensors.index.json lists. All headers are checked; numbers are read
// when asked for. Close it after use.
func Open(fsys fs.FS) (*Folder, error) {
	out := &Folder{where: map[string]*file{}}
	f, err := open(fsys, single)
	if err == nil {
		out.files = []*file{f}
		for name := range f.entries {
			out.where[name] = f
		}
		return out, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	text, err := fs.ReadFile(fsys, index)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no weights: neither %s nor %s is there", single, index)
	}
	if err == nil {
		err = out.openShards(fsys, text)
	}
	if err != nil {
		out.Close()
		return nil, fmt.Errorf("%s: %w", index, err)
	}
	return out, nil
}

// openShards opens the files that an index lists.
func (f *Folder) openShards(fsys fs.FS, text []byte) error {
	var list struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	if len(list.WeightMap) == 0 {
		return errors.New("weight_map is missing or empty")
	}
	shards := map[string]*file{}
	for _, name := range slices.Sorted(maps.Keys(list.WeightMap)) {
		shard := list.WeightMap[name]
		if strings.ContainsAny(shard, `/\`) || !fs.ValidPath(shard) {
			return fmt.Errorf("tensor %q: shard %q is not a plain file name", name, shard)
		}
		if shards[shard] == nil {
			opened, err := open(fsys, shard)
			if err != nil {
				return fmt.Errorf("tensor %q: %w", name, err)
			}
			shards[shard], f.files = opened, append(f.files, opened)
		}
		if _, ok := shards[shard].entries[name]; !ok {
			return fmt.Errorf("tensor %q is not in shard %s, where the index puts it", name, shard)
		}
		f.where[name] = shards[shard]
	}
	return nil
}

func (f *Folder) Close() error {
	var errs []error
	for _, x := range f.files {
		errs = append(errs, x.closer.Close())
	}
	return errors.Join(errs...)
}

// Names lists the tensors in alphabetical order.
func (f *Folder) Names() []string { return slices.Sorted(maps.Keys(f.where)) }

// Has reports whether a tensor is there.
func (f *Folder) Has(name string) bool { return f.where[name] != nil }

// Shape returns a tensor's shape; nil for one that is not there.
func (f *Folder) Shape(name string) []int {
	x := f.where[name]
	if x == nil {
		return nil
	}
	shape := []int{}
	for _, n := range x.entries[name].Shape {
		shape = append(shape, int(n))
	}
	return shape
}

// Format returns how a tensor's numbers are stored; Float32 for one that is not
// there or cannot be read.
func (f *Folder) Format(name string) number.Format {
	if x := f.where[name]; x != nil {
		return formats[x.entries[name].DType]
	}
	return number.Float32
}

// Check returns an error unless a tensor is there and has exactly this shape.
func (f *Folder) Check(name string, shape ...int) error {
	x := f.where[name]
	if x == nil {
		return fmt.Errorf("tensor %q is missing", name)
	}
	got := x.entries[name].Shape
	if !slices.EqualFunc(got, shape, func(a int64, b int) bool { return a == int64(b) }) {
		return fmt.Errorf("%s: tensor %q has shape %v: want %v, as config.json says", x.name, name, got, shape)
	}
	return nil
}

// Rows calls do with rows of a tensor as they are stored: the number of the
// first and some whole rows of the last axis, in order, in memory that is used
// again. The tensor must be there and have exactly this shape.
func (f *Folder) Rows(name string, do func(first int, rows number.Slice), shape ...int) error {
	if err := f.Check(name, shape...); err != nil {
		return err
	}
	return f.where[name].rows(name, do)
}

// Read returns the numbers of a tensor, row-major, as float32. It must be there
// and have exactly this shape.
func (f *Folder) Read(name string, shape ...int) ([]float32, error) {
	out, size := []float32{}, 1
	for _, n := range shape {
		size *= n
	}
	err := f.Rows(name, func(first int, rows number.Slice) {
		if first == 0 {
			out = make([]float32, 0, size)
		}
		out = out[:len(out)+rows.Len()]
		rows.Copy(out[len(out)-rows.Len():])
	}, shape...)
	if err != nil {
		return nil, err
	}
	return out, nil
}
