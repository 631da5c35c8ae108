package ref_test

import (
	"fmt"

	"infnet/harness/dataset/hub/ref"
)

func ExampleParseModel() {
	r, err := ref.ParseModel("hf:google/gemma-3-270m-it")
	fmt.Println(r.Repo, r.At(), err)
	// Output: google/gemma-3-270m-it main <nil>
}
