package tidy

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"infnet/reports/table"
)

// WriteCSV writes the rows as CSV: a header, UTF-8, quoted as RFC 4180 says, lines ending in LF. Null is empty, numbers
// are written so that reading gives the same number, infinities are inf and -inf, lists are JSON arrays. Text that a
// spreadsheet would take for a formula gets a leading apostrophe, and NUL, at which readers stop, is left out; Parquet
// keeps texts exactly.
func WriteCSV[R Row](w io.Writer, rows iter.Seq2[R, error]) error {
	out := csv.NewWriter(w)
	columns := columnsOf[R]()
	record := make([]string, len(columns))
	for i, c := range columns {
		record[i] = c.name
	}
	if err := out.Write(record); err != nil {
		return fmt.Errorf("write the csv header: %w", err)
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		for i, c := range columns {
			record[i] = value(of(c, &row))
		}
		if err := out.Write(record); err != nil {
			return fmt.Errorf("write a csv row: %w", err)
		}
	}
	out.Flush()
	return out.Error()
}

func value(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return value(v.Elem())
	case reflect.String:
		return table.Guard(strings.ReplaceAll(v.String(), "\x00", ""))
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return table.Raw(v.Float())
	case reflect.Slice:
		if v.Len() == 0 {
			return ""
		}
		// A JSON array of strings begins with a bracket, so it needs no apostrophe.
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v.Interface()); err != nil {
			panic(fmt.Sprintf("tidy: strings that are no JSON: %v", err)) // cannot happen
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
	panic(fmt.Sprintf("tidy: a column of type %s", v.Type()))
}

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
