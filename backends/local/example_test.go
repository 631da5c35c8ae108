package local_test

import (
	"context"
	"fmt"
	"os"

	"infnet/backends"
	"infnet/backends/local"
)

// Which of two labels continues the prompt, says a model of random weights.
func ExampleOpenFS() {
	m, err := local.OpenFS(os.DirFS("testdata/tiny"), backends.Config{
		Model:    backends.ModelID{ID: "tiny", Kind: backends.Local},
		Settings: &backends.FolderConfig{},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	answers, err := m.Answer(context.Background(), []backends.Request{
		{Mode: backends.Raw, Prompt: "review : a dull story\nanswer :", Labels: []string{" good", " bad"}},
		{Mode: backends.Raw, Prompt: "review : a dull story\nanswer :", Labels: []string{" good", " good cast"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q %.3f\n", answers[0].Text, answers[0].Labels[0].Logprob-answers[0].Labels[1].Logprob)
	fmt.Println(answers[1].Failure)
	// Output:
	// " good" 0.679
	// bad-request: labels " good" and " good cast" both begin with the token " good": choose words that begin differently
}
