// Package filediff says where two files of one kind differ: the first value that does, in both
// versions, as close as the format allows. It owns how JSON, lines of JSON, CSV, Parquet, other
// text and bytes are compared. It changes nothing and never says that files are equal where a byte
// differs.
//
// Its opinion: one value with its place says more than a list of all differences.
package filediff

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"infnet/harness/dataset/files"
	"infnet/harness/regular"
)

// First says where two files first differ, "" where they are equal. kept is the one that was there, again the one that
// was made again.
//
// Files are read side by side, a piece at a time: only of those that differ, and are no lines of JSON, is the whole
// looked at.
func First(kept, again string) (string, error) {
	same, err := equal(kept, again)
	if same || err != nil {
		return "", err
	}
	if filepath.Ext(kept) == ".jsonl" {
		return firstLine(kept, again)
	}
	a, err := regular.ReadFile(kept)
	if err != nil {
		return "", err
	}
	b, err := regular.ReadFile(again)
	if err != nil {
		return "", err
	}
	where := ""
	switch filepath.Ext(kept) {
	case ".parquet":
		where = parquetDifference(kept, again)
	case ".csv":
		where = cellDifference(a, b)
	case ".json":
		where = jsonDifference(a, b)
	}
	switch {
	case where != "":
		return where, nil
	case bytes.IndexByte(a, 0) >= 0 || bytes.IndexByte(b, 0) >= 0:
		at := 0
		for at < len(a) && at < len(b) && a[at] == b[at] {
			at++
		}
		return fmt.Sprintf("differs from byte %d on (%d bytes, made again %d)", at+1, len(a), len(b)), nil
	}
	return lineDifference(bytes.NewReader(a), bytes.NewReader(b), false), nil
}

// equal reports whether two files have the same bytes.
func equal(kept, again string) (bool, error) {
	a, b, end, err := both(kept, again)
	if err != nil {
		return false, err
	}
	defer end()
	x, y := make([]byte, piece), make([]byte, piece)
	for {
		n, errX := io.ReadFull(a, x)
		m, errY := io.ReadFull(b, y)
		for _, err := range []error{errX, errY} {
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return false, err
			}
		}
		if !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		if errX != nil { // then both end here
			return true, nil
		}
	}
}

// piece is how much of a file is compared at a time, in bytes.
const piece = 1 << 16

// firstLine says where two files of JSON lines, which are not equal, first differ.
func firstLine(kept, again string) (string, error) {
	a, b, end, err := both(kept, again)
	if err != nil {
		return "", err
	}
	defer end()
	return lineDifference(a, b, true), nil
}

// both opens two files.
func both(kept, again string) (a, b *os.File, end func(), err error) {
	if a, err = regular.Open(kept); err != nil {
		return nil, nil, nil, err
	}
	if b, err = regular.Open(again); err != nil {
		a.Close()
		return nil, nil, nil, err
	}
	return a, b, func() { a.Close(); b.Close() }, nil
}

// lineDifference is the first line that differs; of lines of JSON also the
// value in it.
func lineDifference(a, b io.Reader, objects bool) string {
	x, y := lines(a), lines(b)
	for line := 1; ; line++ {
		textX, errX := x()
		textY, errY := y()
		if errX == nil && errY == nil && textX == textY {
			continue
		}
		if errors.Is(errX, io.EOF) && errors.Is(errY, io.EOF) {
			return "differs in how its lines end"
		}
		if objects && errX == nil && errY == nil {
			if where := jsonDifference([]byte(textX), []byte(textY)); where != "" {
				return fmt.Sprintf("line %d%s: %s", line, recordOf(textX), where)
			}
		}
		from := partsAt(textX, textY)
		return fmt.Sprintf("line %d is\n    %s\n  and made again\n    %s", line, excerpt(textX, from, errX),
			excerpt(textY, from, errY))
	}
}

// recordOf names the record of a line, where it has one.
func recordOf(line string) string {
	var r struct {
		ID any `json:"id"`
	}
	if err := json.Unmarshal([]byte(line), &r); err != nil || r.ID == nil {
		return ""
	}
	return fmt.Sprintf(", record %v", r.ID)
}

// jsonDifference is the first value of two JSON texts that differs, "" where
// they are no JSON or say the same.
func jsonDifference(a, b []byte) string {
	x, okX := decode(a)
	y, okY := decode(b)
	if !okX || !okY {
		return ""
	}
	return valueDifference("", x, y)
}

func decode(text []byte) (value any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err := d.Decode(&value)
	return value, err == nil
}

// absent stands for a value that one of two texts lacks.
type absent struct{}

func valueDifference(path string, x, y any) string {
	switch p := x.(type) {
	case map[string]any:
		q, ok := y.(map[string]any)
		if !ok {
			break
		}
		keys := slices.AppendSeq(slices.Collect(maps.Keys(p)), maps.Keys(q))
		slices.Sort(keys)
		for _, k := range slices.Compact(keys) {
			if where := valueDifference(path+"."+k, member(p, k), member(q, k)); where != "" {
				return where
			}
		}
		return ""
	case []any:
		q, ok := y.([]any)
		if !ok {
			break
		}
		for i := range min(len(p), len(q)) {
			if where := valueDifference(fmt.Sprintf("%s[%d]", path, i), p[i], q[i]); where != "" {
				return where
			}
		}
		if len(p) != len(q) {
			return fmt.Sprintf("%s has %d entries, made again %d", place(path), len(p), len(q))
		}
		return ""
	}
	if reflect.DeepEqual(x, y) {
		return ""
	}
	return fmt.Sprintf("%s is %s, made again %s", place(path), asJSON(x), asJSON(y))
}

func member(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

func place(path string) string {
	if path == "" {
		return "it"
	}
	return strings.TrimPrefix(path, ".")
}

// asJSON is a value as JSON writes it.
func asJSON(v any) string {
	if v == (any)(absent{}) {
		return "(not there)"
	}
	text, err := json.Marshal(v)
	if err != nil {
		text = fmt.Append(nil, v)
	}
	return excerpt(string(text), 0, nil)
}

// cellDifference is the first cell that differs, "" where the files are no CSV
// of one header.
func cellDifference(a, b []byte) string {
	x, y := csv.NewReader(bytes.NewReader(a)), csv.NewReader(bytes.NewReader(b))
	x.FieldsPerRecord, y.FieldsPerRecord = -1, -1
	head, err := x.Read()
	again, errAgain := y.Read()
	if err != nil || errAgain != nil || !slices.Equal(head, again) {
		return ""
	}
	for {
		p, errP := x.Read()
		q, errQ := y.Read()
		if errP != nil || errQ != nil || len(p) != len(head) || len(q) != len(head) {
			return "" // one of them ends, or is no CSV: the lines tell
		}
		line, _ := x.FieldPos(0)
		for i := range head {
			if p[i] != q[i] {
				from := partsAt(p[i], q[i])
				return fmt.Sprintf("line %d, column %s is %q, made again %q", line, head[i], excerpt(p[i], from, nil),
					excerpt(q[i], from, nil))
			}
		}
	}
}

// parquetDifference is the first value that differs of two Parquet files.
func parquetDifference(kept, again string) string {
	var old []map[string]any
	ctx := context.Background()
	if err := files.Each(ctx, files.Options{Path: kept},
		func(r files.Row) error { old = append(old, r.Values); return nil }); err != nil {
		return fmt.Sprintf("cannot be read as Parquet: %v", err)
	}
	where, n := "", 0
	err := files.Each(ctx, files.Options{Path: again}, func(r files.Row) error {
		n++
		if where == "" && n <= len(old) {
			if d := valueDifference("", old[n-1], r.Values); d != "" {
				where = fmt.Sprintf("row %d (record %v): %s", n, old[n-1]["record"], d)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return ""
	case where == "" && n != len(old):
		return fmt.Sprintf("has %d rows, made again %d", len(old), n)
	}
	return where
}

// lines returns a function that reads a text line by line, then io.EOF.
func lines(text io.Reader) func() (string, error) {
	r := bufio.NewReader(text)
	return func() (string, error) {
		s, err := r.ReadString('\n')
		if s != "" {
			err = nil
		}
		return strings.TrimRight(s, "\r\n"), err
	}
}

// partsAt is the place, in characters, from which two texts differ.
func partsAt(a, b string) int {
	x, y := []rune(a), []rune(b)
	i := 0
	for i < len(x) && i < len(y) && x[i] == y[i] {
		i++
	}
	return i
}

// excerpt is a text as a message can hold it: the part around its character from,
// where it is long.
func excerpt(text string, from int, err error) string {
	const longest, before = 160, 40
	if err != nil {
		return "(no such line)"
	}
	r := []rune(text)
	start := 0
	if len(r) > longest && from > longest-before {
		start = from - before
	}
	end := min(len(r), start+longest)
	out := string(r[start:end])
	if start > 0 {
		out = "…" + out
	}
	if end < len(r) {
		out += "…"
	}
	return strings.ToValidUTF8(out, "\ufffd")
}
