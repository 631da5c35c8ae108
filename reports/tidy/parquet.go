package tidy

import (
	"fmt"
	"io"
	"iter"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

const (
	rowGroup = 100_000 // rows; readers skip or load whole groups
	batch    = 512     // rows handed to the encoder at once
)

// WriteParquet writes the rows as one Parquet file, compressed with zstd.
// Equal rows give equal bytes: the file names no build and no time. An error
// among the rows ends the writing and leaves an unreadable file.
func WriteParquet[R Row](w io.Writer, rows iter.Seq2[R, error]) error {
	var row R
	out := parquet.NewGenericWriter[R](w,
		parquet.NewSchema(row.schema(), parquet.SchemaOf(row)),
		parquet.CreatedBy("infnet", "1", "tidy"),
		parquet.MaxRowsPerRowGroup(rowGroup),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}),
	)
	buffer := make([]R, 0, batch)
	flush := func() error {
		if _, err := out.Write(buffer); err != nil {
			return fmt.Errorf("write parquet rows: %w", err)
		}
		buffer = buffer[:0]
		return nil
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		if buffer = append(buffer, row); len(buffer) == batch {
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

// Rows turns a slice into the sequence that the writers take.
func Rows[R Row](rows []R) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}
