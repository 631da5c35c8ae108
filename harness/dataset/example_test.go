package dataset_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"infnet/harness/dataset"
)

func ExampleLoad() {
	files := fstest.MapFS{"questions.jsonl": {Data: []byte(`{"qid": "q1", "q": "Who won?", "answers": {"text": ["Denver", "Denver Broncos"]}}
{"qid": "q2", "q": null, "answers": {"text": ["Basel"]}}
`)}}
	set, err := dataset.Load(context.Background(), dataset.Options{
		Name: "questions",
		Path: "questions.jsonl",
		FS:   files,
		Mapping: dataset.Mapping{
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
