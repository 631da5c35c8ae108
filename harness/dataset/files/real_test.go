package files

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"infnet/harness/dataset"
)

// TestRealFiles reads the real datasets in the folder that INFNET_DATA names.
// Row and class counts are those of the folder's own README.
func TestRealFiles(t *testing.T) {
	dir := os.Getenv("INFNET_DATA")
	if dir == "" {
		t.Skip("INFNET_DATA is not set: name the folder of the real datasets to read them")
	}
	text := map[string]string{"text": "text"}
	tests := []struct {
		file   string
		m      Mapping
		labels []dataset.Label
		counts []int // by class; one number where there are none
	}{
		{"sst2", Mapping{Fields: text, ID: "id", Class: "label"},
			[]dataset.Label{{Class: "0", Word: "negative"}, {Class: "1", Word: "positive"}}, []int{4471, 5529}},
		{"sst2", Mapping{Fields: text, ID: "id", Class: "label_name"},
			[]dataset.Label{{Class: "0", Word: "negative"}, {Class: "1", Word: "positive"}}, []int{4471, 5529}},
		{"agnews", Mapping{Fields: text, ID: "id", Class: "label"},
			[]dataset.Label{{Class: "World", Word: "World"}, {Class: "Sports", Word: "Sports"},
				{Class: "Business", Word: "Business"}, {Class: "Sci/Tech", Word: "Technology"}}, []int{2511, 2516, 2513, 2460}},
		{"fakenews", Mapping{Fields: text, ID: "id", Class: "label", Group: "source"},
			[]dataset.Label{{Class: "0", Word: "fake"}, {Class: "1", Word: "real"}}, []int{3010, 3570}},
		{"squad", Mapping{Fields: map[string]string{"q": "question", "c": "context"}, ID: "id", References: "answers",
			Group: "context"}, nil, []int{10000}},
		{"wmt14", Mapping{Fields: map[string]string{"source": "target"}, ID: "id", References: "source"}, nil, []int{10000}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			set, err := Load(context.Background(),
				Options{Path: filepath.Join(dir, tt.file+".jsonl.gz"), Mapping: tt.m, Labels: tt.labels})
			if err != nil {
				t.Fatal(err)
			}
			counts := make([]int, len(tt.counts))
			for _, e := range set.Examples {
				counts[max(0, e.Class)]++
				if tt.m.References != "" && len(e.References) == 0 {
					t.Fatalf("row %d has no reference", e.Row)
				}
			}
			for i, want := range tt.counts {
				if counts[i] != want {
					t.Errorf("class %d has %d rows, want %d", i, counts[i], want)
				}
			}
		})
	}
}
