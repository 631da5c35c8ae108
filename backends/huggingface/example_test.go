package huggingface_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"

	"infnet/backends"
	"infnet/backends/huggingface"
)

// A zero-shot classifier as a student: the text is cut out of the prompt that
// all models of a cascade get, and the scores come back as log-probabilities.
func ExampleModel_Answer() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `[{"label":"positive","score":0.9},{"label":"negative","score":0.1}]`)
	}))
	defer server.Close()
	settings := backends.HuggingFaceConfig{
		Access: backends.Access{URLs: []string{server.URL}}, HuggingFaceOptions: backends.HuggingFaceOptions{
			Task: backends.ZeroShot, Text: "Review: ", End: "\nSentiment:", Hypothesis: "The sentiment of this review is {}."}}
	id := backends.ModelID{ID: "facebook/bart-large-mnli", Revision: settings.Revision(""), Kind: backends.HuggingFace}
	m, err := huggingface.Open(backends.Config{Model: id, Settings: &settings})
	if err != nil {
		fmt.Println(err)
		return
	}
	answers, err := m.Answer(context.Background(), []backends.Request{{Model: id,
		Prompt: "Review: a film to see again\nSentiment:", Labels: []string{" negative", " positive"}}})
	if err != nil || answers[0].Failure != nil {
		fmt.Println(err, answers[0].Failure)
		return
	}
	fmt.Printf("%q %.2f %.2f\n", answers[0].Text, math.Exp(answers[0].Labels[0].Logprob),
		math.Exp(answers[0].Labels[1].Logprob))
	// Output: " positive" 0.10 0.90
}
