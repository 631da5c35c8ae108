package files_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
)

func ExampleLoad() {
	folder := fstest.MapFS{"questions.jsonl": {Data: []byte(`{"qid": "q1", "q": "Who won?", "answers": {"text": ["Denver", "Denver Broncos"]}}
{"qid": "q2", "q": null, "answers": {"text": ["Basel"]}}
`)}}
	set, err := files.Load(context.Background(), files.Options{
		Name: "questions",
		Path: "questions.jsonl",
		FS:   folder,
		Mapping: files.Mapping{
			Fields:     map[string]string{"question": "q"},
			ID:         "qid",
			References: "answers.text",
		},
		OnBad: dataset.SkipBadRow,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range set.Examples {
		fmt.Println(e.ID, e.Fields["question"], e.References)
	}
	for _, s := range set.Skipped {
		fmt.Printf("row %d: %s\n", s.Row, s.Reason)
	}
	// Output:
	// q1 Who won? [Denver Denver Broncos]
	// row 2: column "q": is null
}
