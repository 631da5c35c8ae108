package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"infnet/harness/dataset"
)

// parquetRows reads a Parquet file by its own schema, value by value. Reading into Go structs would be unsafe: a
// column that is missing, of another type, or a list laid out as list.item instead of list.element would silently read
// as zero. And the library, left to make Go values, makes floats of decimals and of the numbers of JSON.
type parquetRows struct {
	path   string
	tree   parquetTree
	rows   parquet.Rows
	total  int64
	names  []string
	buf    []parquet.Row
	at, in int
	n      int
	end    error
}

func openParquet(path string, f fs.File) (src *source, total int64, err error) {
	defer recovered(path, 0, &err)
	at, size, err := ReaderAt(f)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	if size == 0 {
		return nil, 0, fmt.Errorf("%w: %s has no byte", dataset.ErrEmpty, path)
	}
	if err := parquetMagic(path, at, size); err != nil {
		return nil, 0, err
	}
	pf, err := parquet.OpenFile(at, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, 0, fmt.Errorf("%s: the Parquet footer cannot be read (%w): fetch the file again", path, err)
	}
	if err := checkCodecs(pf.Metadata()); err != nil {
		return nil, 0, fmt.Errorf("%s: the Parquet file cannot be read: %w", path, err)
	}
	p := &parquetRows{path: path, tree: newParquetTree(pf), total: pf.NumRows(),
		rows: parquet.MultiRowGroup(pf.RowGroups()...).Rows(), buf: make([]parquet.Row, 64)}
	if pf.NumRows() == 0 {
		p.end = io.EOF // the library fails to read a file without row groups
	}
	for _, column := range pf.Root().Columns() {
		p.names = append(p.names, column.Name())
	}
	written, _ := pf.Lookup("huggingface")
	return &source{next: p.next, columns: p.names, classes: classNames(written),
		close: func() error { return errors.Join(p.rows.Close(), f.Close()) }}, p.total, nil
}

// checkCodecs refuses what the library would read wrong: LZ4, of which it returns pages that are another's, and one
// column compressed in several ways, of which it unpacks all by the first.
func checkCodecs(meta *format.FileMetaData) error {
	for _, group := range meta.RowGroups {
		for i, c := range group.Columns {
			name, codec := strings.Join(c.MetaData.PathInSchema, "."), c.MetaData.Codec
			if codec == format.Lz4 || codec == format.Lz4Raw {
				return fmt.Errorf("column %q is compressed with %s, which is not read: write the file again with zstd or snappy",
					name, codec)
			}
			if first := meta.RowGroups[0].Columns; i < len(first) && codec != first[i].MetaData.Codec {
				return fmt.Errorf("column %q is compressed with %s in one row group and with %s in another, which is not read: "+
					"write the file again with one compression", name, first[i].MetaData.Codec, codec)
			}
		}
	}
	return nil
}

// ReaderAt gives random access to f: its own where it has it, else by reading it into memory (embedded files).
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

// recovered turns a panic of the Parquet library, which a corrupt file can cause, into an error.
func recovered(path string, n int, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: the Parquet file is damaged behind row %d (%v): fetch it again", path, n, r)
	}
}

func (p *parquetRows) next() (r Row, err error) {
	defer recovered(p.path, p.n, &err)
	for p.at == p.in {
		if p.end != nil {
			if errors.Is(p.end, io.EOF) {
				if int64(p.n) < p.total {
					return Row{}, fmt.Errorf("%s: the file promises %d rows and holds %d: fetch it again", p.path, p.total, p.n)
				}
				return Row{}, io.EOF
			}
			return Row{}, fmt.Errorf("%s: the Parquet file is damaged behind row %d (%w): fetch it again", p.path, p.n, p.end)
		}
		p.at = 0
		p.in, p.end = p.rows.ReadRows(p.buf)
		if p.in == 0 && p.end == nil {
			p.end = io.ErrNoProgress
		}
	}
	values := p.tree.row(p.buf[p.at])
	p.at, p.n = p.at+1, p.n+1
	return Row{Number: p.n, Values: values, order: p.names}, nil
}
