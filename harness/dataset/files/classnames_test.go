package files

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/parquet-go/parquet-go"

	"infnet/harness/dataset"
)

// Labels in another order than the file's own names of its classes would score every record under the wrong name. The
// footer is that of a file written by datasets 4.4 (Dataset.to_parquet), shortened.
func TestClassNamesOfTheFile(t *testing.T) {
	const footer = `{"info": {"features": {"text": {"dtype": "string", "_type": "Value"}, "label": {"names": ["negative", "Positive"], "_type": "ClassLabel"}, "list": [1]}}}`
	type line struct {
		Text  string `parquet:"text"`
		Label int64  `parquet:"label"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[line](&file, parquet.KeyValueMetadata("huggingface", footer))
	if _, err := w.Write([]line{{"a", 0}, {"b", 1}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	words := func(w ...string) (out []dataset.Label) {
		for _, x := range w {
			out = append(out, dataset.Label{Class: x, Word: x})
		}
		return out
	}
	tests := []struct {
		name   string
		labels []dataset.Label
		shards []string
		want   string // in the error; "" = read
	}{
		{name: "in order", labels: words("negative", "positive")},
		{name: "in order, two files", labels: words("negative", "positive"), shards: []string{"two.parquet"}},
		{name: "in another order", labels: words("positive", "negative"),
			want: `column "label": class 0 is "negative" in the file and "positive" in the labels`},
		{name: "in another order, two files", labels: words("positive", "negative"), shards: []string{"two.parquet"},
			want: `class 0 is "negative"`},
		{name: "one word of theirs", labels: words("positive", "bad"),
			want: `class 1 is "Positive" in the file and "bad" in the labels`},
		{name: "other words", labels: words("down", "up")},
		{name: "by the classes of tables",
			labels: []dataset.Label{{Class: "negative", Word: "bad"}, {Class: "positive", Word: "good"}}},
		{name: "stated by index", labels: []dataset.Label{{Class: "1", Word: "positive"}, {Class: "0", Word: "negative"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{"one.parquet": {Data: file.Bytes()}, "two.parquet": {Data: file.Bytes()}}
			_, err := Load(t.Context(), Options{FS: fsys, Path: "one.parquet", Shards: tt.shards, Labels: tt.labels,
				Mapping: Mapping{Fields: map[string]string{"text": "text"}, Class: "label"}})
			if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
