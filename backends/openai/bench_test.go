package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"infnet/backends"
)

// BenchmarkCalls is what a classification costs with a server that replies at once with twenty alternatives: ours, and
// by a bare client that keeps its connections, with one call and with 32 in flight. Per call: ns/op.
func BenchmarkCalls(b *testing.B) {
	more := alternatives
	for i := range 18 {
		more += fmt.Sprintf(`,{"token":" other%d","logprob":%d.25}`, i, -4-i)
	}
	url := static(b, says(200, chatty("-0.5", more)))
	for _, flight := range []int{1, 32} {
		each := func(b *testing.B, call func(i int) error) {
			var wg sync.WaitGroup
			next := make(chan int)
			for range flight {
				wg.Go(func() {
					for i := range next {
						if err := call(i); err != nil {
							b.Error(err)
						}
					}
				})
			}
			for i := range b.N {
				next <- i
			}
			close(next)
			wg.Wait()
		}
		b.Run(fmt.Sprintf("ours, %d in flight", flight), func(b *testing.B) {
			m := open(b, url, func(c *backends.OpenAIConfig) {
				c.Labels, c.Concurrency = backends.LabelsTopLogprobs, flight
			})
			each(b, func(i int) error {
				as, err := m.Answer(b.Context(), []backends.Request{{Model: testID, Mode: backends.Chat,
					Prompt: fmt.Sprint("Review: ", i), Labels: []string{" a", " b"}}})
				if err == nil && as[0].Failure != nil {
					err = as[0].Failure
				}
				return err
			})
		})
		b.Run(fmt.Sprintf("bare, %d in flight", flight), func(b *testing.B) {
			t := http.DefaultTransport.(*http.Transport).Clone()
			t.MaxIdleConnsPerHost = flight
			c := &http.Client{Transport: t}
			defer c.CloseIdleConnections()
			each(b, func(i int) error {
				body, err := json.Marshal(map[string]any{"model": "m", "max_tokens": 1, "temperature": 0, "logprobs": true,
					"top_logprobs": 20, "messages": []any{map[string]string{"role": "user", "content": fmt.Sprint("Review: ", i)}}})
				if err != nil {
					return err
				}
				resp, err := c.Post(url+"/chat/completions", "application/json", bytes.NewReader(body))
				if err != nil {
					return err
				}
				defer resp.Body.Close()
				var r response
				if body, err = io.ReadAll(resp.Body); err != nil {
					return err
				}
				return json.Unmarshal(body, &r)
			})
		})
	}
}
