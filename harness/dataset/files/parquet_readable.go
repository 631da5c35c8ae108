package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sort"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// readable gives a Parquet file as the library can read it: as it is, or put
// together anew where the library would read something wrong.
//
//   - LZ4: its decoder returns a page in a new buffer wherever it is less than
//     three times its compressed size, and the caller then reads the old one:
//     what an earlier page left there. It never ends on a damaged page, and does
//     not know the older framing of LZ4 at all. These pages are given
//     uncompressed. They are unpacked when they are read, one at a time.
//   - Decimals kept as integers and JSON: it makes floats of their numbers,
//     which have too few digits. The footer given calls them integers and bytes;
//     what they are is said by the schema of the file itself (see plain).
//   - One column compressed in several ways: it would unpack all by the first.
//
// It says besides which columns are of 16-bit floats.
func readable(at io.ReaderAt, size int64) (io.ReaderAt, int64, halves, error) {
	footer, meta, err := parquetFooter(at, size)
	if err != nil {
		return nil, 0, nil, err
	}
	half, change := halvesOf(meta), false
	for i := range meta.Schema {
		change = bare(&meta.Schema[i]) || change
	}
	for _, group := range meta.RowGroups {
		for i, c := range group.Columns {
			change = change || isLZ4(c.MetaData.Codec)
			if first := meta.RowGroups[0].Columns; i < len(first) && c.MetaData.Codec != first[i].MetaData.Codec {
				return nil, 0, nil, fmt.Errorf("column %q is compressed with %s in one row group and with %s in another, which "+
					"is not read: write the file again with one compression", strings.Join(c.MetaData.PathInSchema,
					"."), first[i].MetaData.Codec, c.MetaData.Codec)
			}
		}
	}
	if !change || meta.EncryptionAlgorithm.Value != nil { // encrypted: the library says so
		return at, size, half, nil
	}
	out, n, err := spliceParquet(at, size-int64(footer), meta)
	return out, n, half, err
}

// spliceParquet puts the file together that readable gives; its pages end
// before limit.
func spliceParquet(at io.ReaderAt, limit int64, meta *format.FileMetaData) (io.ReaderAt, int64, error) {
	out := &spliced{}
	out.add(4, bytes.NewReader([]byte("PAR1")))
	for g := range meta.RowGroups {
		for c := range meta.RowGroups[g].Columns {
			column := &meta.RowGroups[g].Columns[c]
			column.OffsetIndexOffset, column.ColumnIndexOffset, column.MetaData.BloomFilterOffset = 0, 0, 0
			if err := out.chunk(at, limit, &column.MetaData); err != nil {
				return nil, 0, fmt.Errorf("column %q: %w", strings.Join(column.MetaData.PathInSchema, "."), err)
			}
		}
	}
	b, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	if err != nil {
		return nil, 0, err
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)))
	b = append(b, "PAR1"...)
	out.add(int64(len(b)), bytes.NewReader(b))
	return out, out.size, nil
}

// bare takes the logical type off a column that the library would read with
// too few digits, and says whether it did.
func bare(e *format.SchemaElement) bool {
	isInt := e.Type.Valid && (e.Type.V == format.Int32 || e.Type.V == format.Int64)
	_, isDecimal := e.LogicalType.Value.(*format.DecimalType)
	_, isJSON := e.LogicalType.Value.(*format.JsonType)
	isDecimal = isDecimal || e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Decimal
	isJSON = isJSON || e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Json
	if !isJSON && !(isDecimal && isInt) {
		return false
	}
	e.LogicalType, e.ConvertedType = format.LogicalType{}, thrift.Null[deprecated.ConvertedType]{}
	e.Scale, e.Precision = thrift.Null[int32]{}, thrift.Null[int32]{}
	return true
}

func isLZ4(c format.CompressionCodec) bool { return c == format.Lz4 || c == format.Lz4Raw }

// parquetFooter reads what the end of a file says; parquetMagic has checked
// that it is inside the file.
func parquetFooter(at io.ReaderAt, size int64) (int, *format.FileMetaData, error) {
	tail := make([]byte, 8)
	if _, err := at.ReadAt(tail, size-8); err != nil && !errors.Is(err, io.EOF) {
		return 0, nil, err
	}
	b := make([]byte, binary.LittleEndian.Uint32(tail))
	if _, err := at.ReadAt(b, size-8-int64(len(b))); err != nil {
		return 0, nil, err
	}
	meta := new(format.FileMetaData)
	p := new(thrift.CompactProtocol)
	if err := thrift.NewDecoder(p.NewReaderFromBytes(b)).Decode(meta); err != nil {
		return 0, nil, err
	}
	return len(b) + 8, meta, nil
}

// spliced is a file put together from parts of others.
type spliced struct {
	parts []part
	size  int64
}

type part struct {
	start, end int64
	at         io.ReaderAt
}

func (s *spliced) add(n int64, at io.ReaderAt) {
	s.parts = append(s.parts, part{start: s.size, end: s.size + n, at: at})
	s.size += n
}

func (s *spliced) ReadAt(b []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("a read at byte %d", off)
	}
	i := sort.Search(len(s.parts), func(i int) bool { return s.parts[i].end > off })
	for ; n < len(b) && i < len(s.parts); i++ {
		p := s.parts[i]
		want := b[n:min(len(b), n+int(min(p.end-off, int64(len(b)))))]
		k, err := p.at.ReadAt(want, off-p.start)
		n, off = n+k, off+int64(k)
		if k < len(want) {
			return n, errors.Join(io.ErrUnexpectedEOF, err)
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// chunk appends a column's pages, and makes of its description that of what
// was appended.
func (s *spliced) chunk(at io.ReaderAt, limit int64, m *format.ColumnMetaData) error {
	from, start := m.DataPageOffset, s.size
	if m.DictionaryPageOffset != 0 {
		from = m.DictionaryPageOffset
	}
	end := from + m.TotalCompressedSize
	if from < 4 || m.TotalCompressedSize < 0 || end > limit || end < from || m.DataPageOffset < from {
		return fmt.Errorf("its pages are said to be at bytes %d to %d of %d", from, end, limit)
	}
	data := start + m.DataPageOffset - from
	if !isLZ4(m.Codec) {
		s.add(end-from, io.NewSectionReader(at, from, end-from))
	} else {
		pages := &lz4Pages{codec: m.Codec, at: at}
		for off := from; off < end; {
			if off == m.DataPageOffset {
				data = s.size
			}
			next, err := s.page(pages, off, end)
			if err != nil {
				return fmt.Errorf("the page at byte %d: %w", off, err)
			}
			off = next
		}
		m.Codec, m.TotalCompressedSize, m.TotalUncompressedSize = format.Uncompressed, s.size-start, s.size-start
	}
	m.DataPageOffset, m.IndexPageOffset = data, 0
	if m.DictionaryPageOffset != 0 {
		m.DictionaryPageOffset = start
	}
	return nil
}

// page appends the page at off with a header that says what is appended, and
// returns where the next one begins.
func (s *spliced) page(pages *lz4Pages, off, end int64) (next int64, err error) {
	h, n, err := pageHeader(pages.at, off, end)
	if err != nil {
		return 0, err
	}
	next = off + n + int64(h.CompressedPageSize)
	if h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || next > end {
		return 0, fmt.Errorf("%d bytes, uncompressed %d, in a column that ends %d bytes behind", h.CompressedPageSize,
			h.UncompressedPageSize, end-off-n)
	}
	p := &lz4Page{pages: pages, from: off + n, size: int(h.CompressedPageSize), full: int(h.UncompressedPageSize),
		crc: uint32(h.CRC)}
	if h.DataPageHeaderV2.Valid {
		v2 := &h.DataPageHeaderV2.V
		p.levels = int(v2.RepetitionLevelsByteLength) + int(v2.DefinitionLevelsByteLength)
		p.stored = v2.IsCompressed.Valid && !v2.IsCompressed.V
		v2.IsCompressed = thrift.New(false)
	}
	// LZ4 packs 255 bytes into one at most: what claims more is not allocated.
	if p.levels < 0 || p.levels > min(p.size, p.full) || p.stored && p.size != p.full || p.full > 255*p.size+64 {
		return 0, fmt.Errorf("%d bytes cannot hold %d, %d of them levels", p.size, p.full, p.levels)
	}
	h.CompressedPageSize, h.CRC = h.UncompressedPageSize, 0
	b, err := thrift.Marshal(new(thrift.CompactProtocol), h)
	if err != nil {
		return 0, err
	}
	s.add(int64(len(b)), bytes.NewReader(b))
	if p.full > 0 {
		s.add(int64(p.full), p)
	}
	return next, nil
}

// pageHeader reads the header at off, and how long it is.
func pageHeader(at io.ReaderAt, off, end int64) (*format.PageHeader, int64, error) {
	for window := int64(1 << 10); ; window *= 8 {
		b := make([]byte, min(window, end-off))
		if _, err := at.ReadAt(b, off); err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		h := new(format.PageHeader)
		r := new(thrift.CompactProtocol).NewReaderFromBytes(b)
		err := thrift.NewDecoder(r).Decode(h)
		if err == nil {
			return h, int64(r.BytesRead()), nil
		}
		if int64(len(b)) == end-off || window > 1<<24 {
			return nil, 0, fmt.Errorf("its header: %w", err)
		}
	}
}

// lz4Pages are those of one column; the one read last is kept.
type lz4Pages struct {
	codec format.CompressionCodec
	at    io.ReaderAt
	last  *lz4Page
	data  []byte
}

type lz4Page struct {
	pages              *lz4Pages
	from               int64
	size, full, levels int
	stored             bool // not compressed
	crc                uint32
}

func (p *lz4Page) ReadAt(b []byte, off int64) (int, error) {
	if p.pages.last != p {
		data, err := p.read()
		if err != nil {
			return 0, err
		}
		p.pages.last, p.pages.data = p, data
	}
	return copy(b, p.pages.data[off:]), nil
}

func (p *lz4Page) read() ([]byte, error) {
	raw := make([]byte, p.size)
	if _, err := p.pages.at.ReadAt(raw, p.from); err != nil {
		return nil, err
	}
	if p.crc != 0 && crc32.ChecksumIEEE(raw) != p.crc {
		return nil, fmt.Errorf("the page at byte %d does not have its checksum", p.from)
	}
	if p.stored {
		return raw, nil
	}
	out := make([]byte, p.full)
	copy(out, raw[:p.levels])
	if err := unpackLZ4(p.pages.codec, out[p.levels:], raw[p.levels:]); err != nil {
		return nil, fmt.Errorf("the page at byte %d: %w", p.from, err)
	}
	return out, nil
}

// unpackLZ4 fills out. The deprecated codec is Hadoop's framing, or a bare
// block: both were written under its number.
func unpackLZ4(codec format.CompressionCodec, out, src []byte) error {
	if len(out) == 0 {
		return nil
	}
	if codec == format.Lz4 && unframe(out, src) {
		return nil
	}
	n, err := lz4.UncompressBlock(src, out)
	if err != nil || n != len(out) {
		return fmt.Errorf("%d bytes of LZ4 do not unpack to %d", len(src), len(out))
	}
	return nil
}

// unframe unpacks Hadoop's framing: how many bytes follow when unpacked, then
// the length of a block and the block, until there are as many; all that again
// to the end. Lengths are of four bytes, the high one first.
func unframe(out, src []byte) bool {
	for len(src) >= 8 {
		promised := int64(binary.BigEndian.Uint32(src))
		if promised > int64(len(out)) {
			return false
		}
		src = src[4:]
		for promised > 0 {
			if len(src) < 4 {
				return false
			}
			n := int64(binary.BigEndian.Uint32(src))
			if n > int64(len(src)-4) {
				return false
			}
			k, err := lz4.UncompressBlock(src[4:4+n], out[:promised])
			if err != nil || k == 0 {
				return false
			}
			out, src, promised = out[k:], src[4+n:], promised-int64(k)
		}
	}
	return len(out) == 0 && len(src) == 0
}
