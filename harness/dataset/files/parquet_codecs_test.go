package files

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// every reads all rows of a file.
func every(t *testing.T, path string) []map[string]any {
	t.Helper()
	rows, err := rowsOf(path)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// rowsOf reads all rows of a file, as Each does.
func rowsOf(path string) (rows []map[string]any, err error) {
	err = Each(context.Background(), Options{Path: path}, func(r Row) error {
		rows = append(rows, r.Values)
		return nil
	})
	return rows, err
}

// The files of testdata/codecs are written by pyarrow 26.0.1 (make_codecs.py); codecs.jsonl holds the same rows. LZ4 is
// refused, and the error says what to do.
func TestParquetOfEveryCodec(t *testing.T) {
	want := every(t, "testdata/codecs.jsonl")
	names, err := filepath.Glob("testdata/codecs/*.parquet")
	if err != nil || len(names) != 5*2*2+1 {
		t.Fatalf("%d files, error %v", len(names), err)
	}
	spell := func(rows []map[string]any) (out [][]any) {
		for _, r := range rows {
			text, _ := r["text"].(string)
			num, fault := asText(r["num"])
			if fault != nil {
				t.Fatal(fault)
			}
			out = append(out, []any{r["id"], r["text"] == nil, text, strings.TrimSuffix(num, ".0"), r["tags"]})
		}
		return out
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".parquet"), func(t *testing.T) {
			if strings.Contains(name, "lz4") {
				if _, err := rowsOf(name); err == nil || !strings.Contains(err.Error(), "write the file again with zstd") {
					t.Errorf("error %v", err)
				}
				return
			}
			if d := cmp.Diff(spell(want), spell(every(t, name))); d != "" {
				t.Error(d)
			}
		})
	}
}

func asText(v any) (string, *fieldError) { return text(path{}, v) }

func TestParquetTypes(t *testing.T) {
	type one = []string
	same := func(s string) one { return one{s, s, s} }
	odd := func(kind string) one {
		return same("error: is a Parquet value of type " + kind + " where a text is wanted")
	}
	for _, c := range []struct {
		file, column string
		want         one // as make_codecs.py gives them
	}{
		{"types", "float", one{"0.1", "1", "2"}},
		{"types", "u8", one{"0", "128", "255"}},
		{"types", "u16", one{"0", "1", "65535"}},
		{"types", "u32", one{"0", "1", "4294967295"}},
		{"types", "u64", one{"0", "1", "18446744073709551615"}},
		{"types", "i8", one{"0", "-128", "127"}},
		{"types", "i16", one{"0", "-1", "32767"}},
		{"types", "i32", one{"0", "-1", "2147483647"}},
		{"types", "i64", one{"0", "-1", "9223372036854775807"}},
		{"types", "duration", same("5")}, // Parquet has no such type: the number that is kept
		{"types", "bool", one{"true", "false", "true"}},
		{"types", "category", one{"x", "y", "x"}},
		{"types", "category_number", one{"5", "6", "5"}},
		{"types", "large", one{"ä", "b", "c"}},
		{"types", "view", one{"ä", "b", "c"}},
		{"types", "text_bytes", one{"x", "y", "z"}},
		{"types", "bytes", odd("BYTE_ARRAY")},
		{"types", "fixed_bytes", one{odd("FIXED_LEN_BYTE_ARRAY(4)")[0], "zzzz", odd("FIXED_LEN_BYTE_ARRAY(4)")[0]}},
		{"types", "half", odd("FLOAT16")},
		{"types", "dec38", odd("DECIMAL(38,6)")},
		{"types_decimal_int", "dec5", odd("DECIMAL(5,2)")},
		{"types", "date32", odd("DATE")},
		{"types", "ts_tz", odd("TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)")},
		{"types_int96", "ts_ms", odd("INT96")},
		{"types", "time_us", odd("TIME(isAdjustedToUTC=false,unit=MICROS)")},
		{"types", "uuid", odd("UUID")},
		{"types", "null", same("error: is null")},
		{"types", "bool8", one{"1", "0", "1"}},
	} {
		t.Run(c.file+"/"+c.column, func(t *testing.T) {
			var got one
			for _, r := range every(t, "testdata/"+c.file+".parquet") {
				s, fault := text(path{text: c.column}, r[c.column])
				if fault != nil {
					s = "error: " + fault.reason
					if fault.column != c.column {
						t.Errorf("the error names column %q", fault.column)
					}
				}
				got = append(got, s)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// 9007199254740993 = 2⁵³+1, which no float64 is.
func TestNumbersOfParquetJSON(t *testing.T) {
	number, fault := text(path{}, every(t, "testdata/types.parquet")[2]["json"])
	if fault != nil || number != "9007199254740993" {
		t.Errorf("a number of a JSON column: %q, %v", number, fault)
	}
}
