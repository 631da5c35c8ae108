package accept

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// The columns of an accepted run have a value per record. In JSON each is one text: its bytes, compressed (deflate) and
// in base64. FORMAT.md says how the bytes are made.

// mostBytes bounds what a column may unpack to: a damaged or hostile file must not fill the memory.
const mostBytes = 1 << 28

// Bits are a bit per record, eight to a byte, the first in the lowest bit, after their number.
type Bits []bool

// Wholes are small whole numbers, −1 or more.
type Wholes []int

// Marks are hashes of 32 bits.
type Marks []uint32

// Words are texts.
type Words []string

// Numbers are exact floating-point numbers.
type Numbers []float64

// MarshalJSON packs the column.
func (c Bits) MarshalJSON() ([]byte, error) {
	b := binary.AppendUvarint(nil, uint64(len(c)))
	at := len(b)
	b = append(b, make([]byte, (len(c)+7)/8)...)
	for i, is := range c {
		if is {
			b[at+i/8] |= 1 << (i % 8)
		}
	}
	return pack(b)
}

// UnmarshalJSON unpacks the column.
func (c *Bits) UnmarshalJSON(text []byte) error {
	r, n, err := unpack(text, 1)
	if err != nil {
		return err
	}
	if len(r.b) != (n+7)/8 {
		return errDamaged
	}
	*c = make(Bits, n)
	for i := range *c {
		(*c)[i] = r.b[i/8]>>(i%8)&1 == 1
	}
	return nil
}

// MarshalJSON packs the column.
func (c Wholes) MarshalJSON() ([]byte, error) {
	b := binary.AppendUvarint(nil, uint64(len(c)))
	for _, n := range c {
		b = binary.AppendUvarint(b, uint64(n+1))
	}
	return pack(b)
}

// UnmarshalJSON unpacks the column.
func (c *Wholes) UnmarshalJSON(text []byte) error {
	r, n, err := unpack(text, 8)
	if err != nil {
		return err
	}
	*c = make(Wholes, n)
	for i := range *c {
		(*c)[i] = int(r.whole()) - 1
	}
	return r.end()
}

// MarshalJSON packs the column.
func (c Marks) MarshalJSON() ([]byte, error) {
	b := binary.AppendUvarint(nil, uint64(len(c)))
	for _, n := range c {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return pack(b)
}

// UnmarshalJSON unpacks the column.
func (c *Marks) UnmarshalJSON(text []byte) error {
	r, n, err := unpack(text, 1)
	if err != nil {
		return err
	}
	if len(r.b) != 4*n {
		return errDamaged
	}
	*c = make(Marks, n)
	for i := range *c {
		(*c)[i] = binary.LittleEndian.Uint32(r.b[4*i:])
	}
	return nil
}

// MarshalJSON packs the column.
func (c Words) MarshalJSON() ([]byte, error) {
	b := binary.AppendUvarint(nil, uint64(len(c)))
	for _, s := range c {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return pack(b)
}

// UnmarshalJSON unpacks the column.
func (c *Words) UnmarshalJSON(text []byte) error {
	r, n, err := unpack(text, 8)
	if err != nil {
		return err
	}
	*c = make(Words, n)
	for i := range *c {
		(*c)[i] = string(r.take(r.whole()))
	}
	return r.end()
}

// MarshalJSON packs the column: the different numbers once, in ascending order of their bits, then a number's place
// for every record.
func (c Numbers) MarshalJSON() ([]byte, error) {
	different := map[uint64]uint64{}
	for _, x := range c {
		different[math.Float64bits(x)] = 0
	}
	values := make([]uint64, 0, len(different))
	for v := range different {
		values = append(values, v)
	}
	slices.Sort(values)
	b := binary.AppendUvarint(nil, uint64(len(c)))
	b = binary.AppendUvarint(b, uint64(len(values)))
	for i, v := range values {
		different[v] = uint64(i)
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, x := range c {
		b = binary.AppendUvarint(b, different[math.Float64bits(x)])
	}
	return pack(b)
}

// UnmarshalJSON unpacks the column.
func (c *Numbers) UnmarshalJSON(text []byte) error {
	r, n, err := unpack(text, 8)
	if err != nil {
		return err
	}
	values := make([]float64, min(r.whole(), uint64(len(r.b)/8)))
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.take(8)))
	}
	*c = make(Numbers, n)
	for i := range *c {
		at := r.whole()
		if at >= uint64(len(values)) {
			return errDamaged
		}
		(*c)[i] = values[at]
	}
	return r.end()
}

var errDamaged = errors.New("a column is damaged")

// pack returns bytes as JSON text.
func pack(b []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(out.Bytes()))
}

// reader reads what a column holds.
type reader struct {
	b   []byte
	bad bool
}

// unpack reads packed bytes and the number of values in front of them, of which perByte go into a byte at most.
func unpack(text []byte, perByte int) (*reader, int, error) {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, 0, err
	}
	packed, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errDamaged, err)
	}
	b, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), mostBytes))
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errDamaged, err)
	}
	r := &reader{b: b}
	n := r.whole()
	if r.bad || n > 8*uint64(len(r.b))*uint64(perByte) && n > 0 {
		return nil, 0, errDamaged
	}
	return r, int(n), nil
}

func (r *reader) whole() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return make([]byte, min(n, 8))
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// end reports what is wrong with a column that was read to its end.
func (r *reader) end() error {
	if r.bad || len(r.b) > 0 {
		return errDamaged
	}
	return nil
}
