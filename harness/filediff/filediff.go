// Package filediff says where two files of one kind differ: the first value that does, in both
// versions, as close as the format allows. It owns how JSON, rows of JSON lines, CSV and Parquet, other
// text and bytes are compared. It changes nothing and never says that files are equal where a byte
// differs.
//
// Its opinion: one value with its place says more than a list of all differences.
package filediff

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"infnet/harness/dataset/files"
	"infnet/harness/regular"
)

// First says where two files first differ, "" where they are equal. kept is the one that was there, again the one that
// was made again. Files are read side by side, a line or a row at a time.
func First(kept, again string) (string, error) {
	where, err := firstLine(kept, again)
	if err != nil || where == "" {
		return "", err
	}
	switch filepath.Ext(kept) {
	case ".json":
		return cmp.Or(firstMember(kept, again), where), nil
	case ".jsonl", ".csv", ".parquet":
		return cmp.Or(firstCell(kept, again), where), nil
	}
	return where, nil
}

// firstLine is the first line that differs; of bytes that are no text, the first byte.
func firstLine(kept, again string) (string, error) {
	a, err := regular.Open(kept)
	if err != nil {
		return "", err
	}
	defer a.Close()
	b, err := regular.Open(again)
	if err != nil {
		return "", err
	}
	defer b.Close()
	x, y := bufio.NewReader(a), bufio.NewReader(b)
	ends := ""
	for line, at := 1, 0; ; line++ {
		p, errP := x.ReadString('\n')
		q, errQ := y.ReadString('\n')
		for _, err := range []error{errP, errQ} {
			if err != nil && !errors.Is(err, io.EOF) {
				return "", err
			}
		}
		same := 0
		for same < min(len(p), len(q)) && p[same] == q[same] {
			same++
		}
		textP, textQ := strings.TrimRight(p, "\r\n"), strings.TrimRight(q, "\r\n")
		switch {
		case p == "" && q == "":
			return ends, nil
		case p == q:
		case strings.ContainsRune(p+q, 0):
			return fmt.Sprintf("differs from byte %d on", at+same+1), nil
		case textP != textQ || p == "" || q == "":
			return fmt.Sprintf("line %d is\n    %s\n  and made again\n    %s", line, lineOf(p, textP, same),
				lineOf(q, textQ, same)), nil
		default:
			ends = "differs in how its lines end"
		}
		at += len(p)
	}
}

// lineOf is a line as a message can hold it.
func lineOf(raw, text string, from int) string {
	if raw == "" {
		return "(no such line)"
	}
	return excerpt(text, from)
}

// firstMember is the first value of two JSON texts that differs, "" where they are no JSON or say the same.
func firstMember(kept, again string) string {
	var values [2]any
	for i, path := range []string{kept, again} {
		text, err := regular.ReadFile(path)
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err != nil || d.Decode(&values[i]) != nil {
			return ""
		}
	}
	return difference("", values[0], values[1])
}

// firstCell is the first value of two tables that differs, "" where they are no tables or say the same.
func firstCell(kept, again string) string {
	next, stop := iter.Pull2(rows(kept))
	defer stop()
	made, end := iter.Pull2(rows(again))
	defer end()
	for n := 1; ; n++ {
		x, errX, okX := next()
		y, errY, okY := made()
		if errX != nil || errY != nil || !okX && !okY {
			return ""
		}
		if okX != okY {
			return fmt.Sprintf("row %d is in one of them alone", n)
		}
		where := fmt.Sprintf("row %d", n)
		if x.Line > 0 {
			where = fmt.Sprintf("line %d", x.Line)
		}
		if id := cmp.Or(x.Values["id"], x.Values["record"]); id != nil {
			where += fmt.Sprintf(", record %v", id)
		}
		if d := difference("", x.Values, y.Values); d != "" {
			return where + ": " + d
		}
	}
}

// rows are the rows of a file, up to the first that cannot be read.
func rows(path string) iter.Seq2[files.Row, error] {
	return func(yield func(files.Row, error) bool) {
		enough := errors.New("no more rows are wanted")
		err := files.Each(context.Background(), files.Options{Path: path}, func(r files.Row) error {
			if !yield(r, nil) {
				return enough
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			yield(files.Row{}, err)
		}
	}
}

// absent stands for a value that one of two texts lacks.
type absent struct{}

// difference is the first value in which two differ, with its path.
func difference(path string, x, y any) string {
	switch p := x.(type) {
	case map[string]any:
		q, ok := y.(map[string]any)
		if !ok {
			break
		}
		keys := slices.AppendSeq(slices.Collect(maps.Keys(p)), maps.Keys(q))
		slices.Sort(keys)
		for _, k := range slices.Compact(keys) {
			if where := difference(path+"."+k, member(p, k), member(q, k)); where != "" {
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
			if where := difference(fmt.Sprintf("%s[%d]", path, i), p[i], q[i]); where != "" {
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

func place(path string) string { return cmp.Or(strings.TrimPrefix(path, "."), "it") }

// asJSON is a value as JSON writes it.
func asJSON(v any) string {
	if v == (any)(absent{}) {
		return "(not there)"
	}
	text, err := json.Marshal(v)
	if err != nil {
		text = fmt.Append(nil, v)
	}
	return excerpt(string(text), 0)
}

// excerpt is a text as a message can hold it: the part around its byte from, where it is long.
func excerpt(text string, from int) string {
	const longest, before = 160, 40
	start := 0
	if len(text) > longest && from > longest-before {
		start = from - before
	}
	end := min(len(text), start+longest)
	out := text[start:end]
	if start > 0 {
		out = "…" + out
	}
	if end < len(text) {
		out += "…"
	}
	return strings.ToValidUTF8(out, "\ufffd")
}
