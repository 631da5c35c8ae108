package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"infnet/backends"
	"infnet/backends/openai"
)

// A classification of a server that returns two alternatives: the label that is
// not among them has an upper bound.
func ExampleOpen() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/completions" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"text":" good","finish_reason":"length","logprobs":
			{"tokens":[" good"],"token_logprobs":[-0.5],"top_logprobs":[{" good":-0.5,",":-2.5}]}}],
			"usage":{"prompt_tokens":9,"completion_tokens":1}}`)
	}))
	defer server.Close()
	m, err := openai.Open(backends.Config{
		Model: backends.ModelID{ID: "tiny", Kind: backends.OpenAI},
		Settings: &backends.OpenAIConfig{
			Access: backends.Access{URLs: []string{server.URL + "/v1"}}, OpenAIOptions: backends.OpenAIOptions{
				Labels: backends.LabelsTopLogprobs, TopLogprobs: 2}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	answers, err := m.Answer(context.Background(), []backends.Request{
		{Mode: backends.Raw, Prompt: "review : a dull story\nanswer :", Labels: []string{" good", " bad"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q %+v\n", answers[0].Text, answers[0].Labels)
	// Output:
	// " good" [{Logprob:-0.5 Seen:true} {Logprob:-2.5 Seen:false}]
}
