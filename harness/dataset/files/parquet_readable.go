package files

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// readable gives a Parquet file as the library can read it: as it is, or with a footer of its own where the library
// would make floats of decimals kept as integers and of the numbers of JSON, which have too few digits. The footer
// calls them integers and bytes; what they are is said by the schema of the file itself (see plain). What the library
// would read wrong is refused: LZ4, of which it returns pages that are another's, and one column compressed in
// several ways, of which it unpacks all by the first.
//
// It says besides which columns are of 16-bit floats.
func readable(at io.ReaderAt, size int64, meta *format.FileMetaData) (io.ReaderAt, int64, halves, error) {
	half, change := halvesOf(meta), false
	for i := range meta.Schema {
		change = bare(&meta.Schema[i]) || change
	}
	for _, group := range meta.RowGroups {
		for i, c := range group.Columns {
			name, codec := strings.Join(c.MetaData.PathInSchema, "."), c.MetaData.Codec
			if codec == format.Lz4 || codec == format.Lz4Raw {
				return nil, 0, nil, fmt.Errorf("column %q is compressed with %s, which is not read: write the file again with "+
					"zstd or snappy", name, codec)
			}
			if first := meta.RowGroups[0].Columns; i < len(first) && codec != first[i].MetaData.Codec {
				return nil, 0, nil, fmt.Errorf("column %q is compressed with %s in one row group and with %s in another, which "+
					"is not read: write the file again with one compression", name, first[i].MetaData.Codec, codec)
			}
		}
	}
	if !change || meta.EncryptionAlgorithm.Value != nil { // encrypted: the library says so
		return at, size, half, nil
	}
	b, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	if err != nil {
		return nil, 0, nil, err
	}
	tail := make([]byte, 4) // how long the footer is
	if _, err := at.ReadAt(tail, size-8); err != nil {
		return nil, 0, nil, err
	}
	end := size - 8 - int64(binary.LittleEndian.Uint32(tail))
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(b))), "PAR1"...)
	return refooted{at, end, strings.NewReader(string(b))}, end + int64(len(b)), half, nil
}

// refooted is a file with another footer, from byte end on.
type refooted struct {
	body   io.ReaderAt
	end    int64
	footer io.ReaderAt
}

func (r refooted) ReadAt(b []byte, off int64) (n int, err error) {
	if off < r.end {
		if n, err = r.body.ReadAt(b[:min(int64(len(b)), r.end-off)], off); n == len(b) || err != nil {
			return n, err
		}
	}
	k, err := r.footer.ReadAt(b[n:], off+int64(n)-r.end)
	return n + k, err
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
