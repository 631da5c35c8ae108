package tidy

import (
	"fmt"
	"io"
	"iter"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

const (
	rowGroup = 100_000 // rows; readers skip or load whole groups
	batch    = 512     // rows handed to the encoder at once
)

// WriteParquet writes the rows as one Parquet file, compressed with zstd. Equal rows give equal bytes: the file names
// no build and no time. An error among the rows ends the writing and leaves an unreadable file.
func WriteParquet[R Row](w io.Writer, rows iter.Seq2[R, error]) error {
	columns := columnsOf[R]()
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		fields[i] = c.flat
	}
	flat := reflect.New(reflect.StructOf(fields)).Elem()
	var none R
	schema := parquet.NewSchema(none.schema(), parquet.SchemaOf(flat.Addr().Interface()))
	out := parquet.NewGenericWriter[any](w, schema,
		parquet.CreatedBy("infnet", "1", "tidy"),
		parquet.MaxRowsPerRowGroup(rowGroup),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}),
	)
	buffer := make([]parquet.Row, 0, batch)
	flush := func() error {
		if _, err := out.WriteRows(buffer); err != nil {
			return fmt.Errorf("write parquet rows: %w", err)
		}
		buffer = buffer[:0]
		return nil
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		for i, c := range columns {
			flat.Field(i).Set(of(c, &row))
		}
		if buffer = append(buffer, schema.Deconstruct(nil, flat.Addr().Interface())); len(buffer) == batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("finish the parquet file: %w", err)
	}
	return nil
}
