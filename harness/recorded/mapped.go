package recorded

import (
	"encoding/json"

	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
)

// mapped reads a record of another format as a row of a table. paths say where the record has what a table has in its
// columns by their default names. Costs that state no currency are in USD.
func (l *log) mapped(record files.Row, paths map[string]string, cachedApart bool) (Row, error) {
	values := map[string]any{}
	for column, path := range paths {
		if v, err := record.Value(path); err == nil && v != nil {
			values[column] = v
		}
	}
	if values["cost"] != nil && values["currency"] == nil {
		values["currency"] = "USD"
	}
	f := l.Facts
	f.Wanted, f.CachedApart = true, cachedApart
	return newTable(dataset.AnswerColumns{}, f).read(files.Row{Values: values})
}

// textAt is the text at a path of a record, "" where there is none.
func textAt(record files.Row, path string) string {
	v, err := record.Value(path)
	if text, ok := v.(string); err == nil && ok {
		return text
	}
	return ""
}

// textsAt are the texts of the list at a path of a record.
func textsAt(record files.Row, path string) (out []string) {
	v, _ := record.Value(path)
	list, _ := v.([]any)
	for _, x := range list {
		if text, ok := x.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// words is a value as text: a text as it is, null as nothing, all else as JSON.
func words(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, _ := json.Marshal(v) // it was JSON
	return string(b)
}
