package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/parquet-go/parquet-go"

	"infnet/harness/dataset"
)

// parquetRows reads a Parquet file by its own schema. Reading into Go structs
// would be unsafe: a column that is missing, of another type, or a list laid
// out as list.item instead of list.element would silently read as zero.
type parquetRows struct {
	path   string
	file   io.Closer
	schema *parquet.Schema // as the file has it; r may read it otherwise
	half   halves
	r      *parquet.GenericReader[any]
	names  []string
	named  map[string][]string // classes by column, where the footer names them
	buf    [64]any
	at, in int
	n      int
	end    error
}

func openParquet(path string, f fs.File) (p *parquetRows, err error) {
	defer recovered(path, 0, &err)
	at, size, err := ReaderAt(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if size == 0 {
		return nil, fmt.Errorf("%w: %s has no byte", dataset.ErrEmpty, path)
	}
	if err := parquetMagic(path, at, size); err != nil {
		return nil, err
	}
	written, err := parquet.OpenFile(at, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, fmt.Errorf("%s: the Parquet footer cannot be read (%w): fetch the file again", path, err)
	}
	to, n, half, err := readable(at, size, written.Metadata())
	if err != nil {
		return nil, fmt.Errorf("%s: the Parquet file cannot be read: %w", path, err)
	}
	pf := written
	if to != at {
		if pf, err = parquet.OpenFile(to, n, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true)); err != nil {
			return nil, fmt.Errorf("%s: the Parquet footer cannot be read (%w): fetch the file again", path, err)
		}
	}
	p = &parquetRows{path: path, file: f, schema: written.Schema(), half: half, r: parquet.NewGenericReader[any](pf)}
	if pf.NumRows() == 0 {
		p.end = io.EOF // the library fails to read a file without row groups
	}
	if written, ok := pf.Lookup("huggingface"); ok {
		p.named = classNames(written)
	}
	for _, field := range pf.Schema().Fields() {
		p.names = append(p.names, field.Name())
	}
	return p, nil
}

// ReaderAt gives random access to f: its own where it has it, else by reading
// it into memory (embedded files).
func ReaderAt(f fs.File) (io.ReaderAt, int64, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if at, ok := f.(io.ReaderAt); ok {
		return at, st.Size(), nil
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, 0, err
	}
	return bytes.NewReader(b), int64(len(b)), nil
}

// parquetMagic looks for the four bytes at both ends of a Parquet file.
func parquetMagic(path string, at io.ReaderAt, size int64) error {
	head := make([]byte, min(64, size))
	if _, err := at.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", path, err)
	}
	if bytes.HasPrefix(head, []byte("PARE")) {
		return fmt.Errorf("%s is encrypted Parquet, which is not read: decrypt it first", path)
	}
	if !bytes.HasPrefix(head, []byte("PAR1")) {
		if err := sniff(path, head, Parquet, false); err != nil {
			return err
		}
		return fmt.Errorf("%s is not Parquet: it does not begin with PAR1", path)
	}
	if size < 12 {
		return fmt.Errorf("%s is cut short: it has %d bytes; fetch it again", path, size)
	}
	tail := make([]byte, 8)
	if _, err := at.ReadAt(tail, size-8); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", path, err)
	}
	if string(tail[4:]) != "PAR1" {
		return fmt.Errorf("%s is cut short: it does not end with PAR1; fetch it again", path)
	}
	// The library would make room for whatever length the file states.
	if footer := int64(binary.LittleEndian.Uint32(tail)); footer > size-12 {
		return fmt.Errorf("%s is damaged: it states a footer of %d bytes in a file of %d; fetch it again", path, footer, size)
	}
	return nil
}

// recovered turns a panic of the Parquet library, which a corrupt file can
// cause, into an error.
func recovered(path string, n int, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: the Parquet file is damaged behind row %d (%v): fetch it again", path, n, r)
	}
}

func (p *parquetRows) columns() []string { return p.names }

func (p *parquetRows) classNames(column string) []string { return p.named[column] }

func (p *parquetRows) Close() error {
	err := p.r.Close()
	return errors.Join(err, p.file.Close())
}

func (p *parquetRows) next() (r row, err error) {
	defer recovered(p.path, p.n, &err)
	for p.at == p.in {
		if p.end != nil {
			if errors.Is(p.end, io.EOF) {
				if total := p.r.NumRows(); int64(p.n) < total {
					return row{}, fmt.Errorf("%s: the file promises %d rows and holds %d: fetch it again", p.path, total, p.n)
				}
				return row{}, io.EOF
			}
			return row{}, fmt.Errorf("%s: the Parquet file is damaged behind row %d (%w): fetch it again", p.path, p.n, p.end)
		}
		clear(p.buf[:]) // the library would fill the old maps again
		p.at = 0
		p.in, p.end = p.r.Read(p.buf[:])
		if p.in == 0 && p.end == nil {
			p.end = io.ErrNoProgress
		}
	}
	v := p.buf[p.at]
	p.buf[p.at] = nil
	p.at++
	p.n++
	values, ok := p.half.plain(p.schema, v).(map[string]any)
	if !ok {
		return row{}, &dataset.RowError{File: p.path, Row: p.n, Reason: "is " + kindOf(v) + ", not a record"}
	}
	return row{n: p.n, values: values, order: p.names}, nil
}
