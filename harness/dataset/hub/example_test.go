package hub_test

import (
	"fmt"

	"infnet/harness/dataset/hub"
)

func ExampleParseDataset() {
	r, err := hub.ParseDataset("hf:nyu-mll/glue/sst2:train@main")
	fmt.Println(r.Repo, r.Config, r.Split, r.Revision, err)
	_, err = hub.ParseDataset("hf:nyu-mll/glue:the train split")
	fmt.Println(err)
	// Output:
	// nyu-mll/glue sst2 train main <nil>
	// "the train split" is no split of a dataset: want letters, digits, _ and ., such as train
}
