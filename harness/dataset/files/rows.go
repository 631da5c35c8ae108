package files

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"infnet/harness/dataset"
	"infnet/harness/regular"
)

// source is an open file of rows.
type source struct {
	// next returns io.EOF after the last row, a *RowError for a row that is bad in itself (the next call goes on
	// behind it), and any other error for damage after which nothing can be read.
	next    func() (Row, error)
	columns []string            // nil where every row names its own
	classes map[string][]string // by column, where the file names them
	cells   *cellRows           // of a file of cells; nil = it has none
	close   func() error
}

// Row is one row of a file as it was read, before anything is inferred from it. Its values are nil, string, bool,
// json.Number, int64, uint64, float32, float64, []any and map[string]any.
type Row struct {
	Number int // 1-based
	Line   int // 1-based; 0 = the format has no lines
	Values map[string]any

	file  string   // which of several files; "" = the only one
	order []string // column names as the source orders them; nil = not known
}

// open opens the file of o and looks at its first bytes, so that a file of
// another format than its name says is an error in words.
func open(o Options) (*source, error) {
	format, gz, err := formatOf(o.Path, o.Format)
	if err != nil {
		return nil, err
	}
	f, err := OpenFile(o)
	if err != nil {
		return nil, err
	}
	r, err := openRows(o, f, format, gz)
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// OpenFile opens the file at o.Path in o.FS, or on the machine: a regular file.
func OpenFile(o Options) (fs.File, error) {
	var f fs.File
	var err error
	if o.FS != nil {
		f, err = o.FS.Open(o.Path)
	} else {
		if info, serr := os.Stat(o.Path); serr == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a folder: name a file in it", o.Path)
		}
		f, err = regular.Open(o.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open the source: %w", err)
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s is a folder: name a file in it", o.Path)
	}
	return f, nil
}

func openRows(o Options, f fs.File, format Format, gz bool) (*source, error) {
	if format == Parquet {
		src, _, err := openParquet(o.Path, f)
		return src, err
	}
	in, err := textOfFile(o, f, format, gz)
	if err != nil {
		return nil, err
	}
	switch format {
	case CSV:
		return openCSV(o, f, in)
	case TSV:
		return openTSV(o.Path, f, in)
	}
	return openJSONL(o.Path, f, newLines(in)), nil
}

// textOfFile looks at the first bytes of a file, and returns what it reads uncompressed.
func textOfFile(o Options, f fs.File, format Format, gz bool) (io.Reader, error) {
	head := make([]byte, 64)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s: %w", o.Path, err)
	}
	head = head[:n]
	if err := sniff(o.Path, head, format, gz); err != nil {
		return nil, err
	}
	var in io.Reader = io.MultiReader(bytes.NewReader(head), f)
	if n == 0 {
		return nil, fmt.Errorf("%w: %s has no byte", dataset.ErrEmpty, o.Path)
	}
	if gz {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: the gzip header is damaged (%w): fetch the file again", o.Path, err)
		}
		in = z
	}
	return in, nil
}

// sniff finds a file whose content is not what its name says.
func sniff(path string, head []byte, format Format, gz bool) error {
	is := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case is("version https://git-lfs"):
		return fmt.Errorf("%s is a Git LFS pointer, not the file it points to: run git lfs pull", path)
	case is("PAR1"):
		return fmt.Errorf("%s holds Parquet, not %s: name it .parquet, or state the format", path, format)
	case is("\x1f\x8b") && !gz:
		return fmt.Errorf("%s is compressed with gzip: end its name in .gz, or gunzip it", path)
	case is("\x28\xb5\x2f\xfd"), is("BZh"), is("\xfd7zXZ"), is("PK\x03\x04"):
		return fmt.Errorf("%s is compressed with something other than gzip: unpack it first", path)
	case len(head) > 0 && gz && !is("\x1f\x8b"):
		return fmt.Errorf("%s is named .gz but is not compressed with gzip: take .gz off its name", path)
	case is("\xff\xfe"), is("\xfe\xff"):
		return fmt.Errorf("%s is UTF-16 text: save it as UTF-8", path)
	}
	return nil
}

// broken explains an error of the stream itself, after row n; its end is none.
func broken(path string, n int, err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, errTooLong):
		return fmt.Errorf("%s: behind row %d: a record is longer than %d bytes: a quote or a newline may be missing", path, n,
			longestLine)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the gzip stream breaks off behind row %d: the file is cut short; fetch it again", path, n)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("%s: the gzip stream is damaged behind row %d (%w): fetch the file again", path, n, err)
	}
	return fmt.Errorf("%s: behind row %d: %w", path, n, err)
}
