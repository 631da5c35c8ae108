package huggingface_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
)

// Every fault of an endpoint, in both tasks.
func TestWire(t *testing.T) {
	rewrite := backendtest.Rewritten
	says := func(text string) func(http.ResponseWriter, *http.Request, []byte) {
		return rewrite(func(string) string { return text })
	}
	for _, test := range []struct {
		task backends.HuggingFaceTask
		own  []backendtest.WireFault
	}{
		{backends.ZeroShot, []backendtest.WireFault{
			{Name: "no labels", Do: says(`[]`), Cause: backends.BadResponse},
			{Name: "an object without anything", Do: says(`{}`), Cause: backends.BadResponse},
			{Name: "a label too few", Do: says(`[{"label":"negative","score":0.75},{"label":"positive","score":0.25}]`),
				Cause: backends.BadResponse},
			{Name: "fewer scores than labels",
				Do: says(`{"sequence":"x","labels":["negative","positive","neither"],"scores":[1]}`), Cause: backends.BadResponse},
			{Name: "NaN", Do: says(`[{"label":"negative","score":NaN},{"label":"positive","score":0.5},{"label":"neither","score":0.5}]`), Cause: backends.BadResponse},
			{Name: "−9999", Do: says(`[{"label":"negative","score":-9999},{"label":"positive","score":0.5},{"label":"neither","score":0.5}]`), Cause: backends.BadResponse},
			{Name: "an error called success", Do: says(`{"error":"out of memory"}`), Cause: backends.ServerError},
		}},
		{backends.ExtractiveQA, []backendtest.WireFault{
			{Name: "no answer", Do: says(`{"score":0.5}`), Cause: backends.BadResponse},
			{Name: "no score", Do: says(`{"answer":"Ada"}`), Cause: backends.BadResponse},
			{Name: "two answers' worth", Do: says(`{"answer":"Ada","score":7}`), Cause: backends.BadResponse},
			{Name: "−9999", Do: says(`{"answer":"Ada","score":-9999}`), Cause: backends.BadResponse},
		}},
	} {
		t.Run(string(test.task), func(t *testing.T) {
			e := serve(t, test.task, present)
			cfg := e.config()
			reqs := reviews(cfg.Model, 4)
			if test.task == backends.ExtractiveQA {
				reqs = lookups(cfg.Model, 4)
			}
			backendtest.RunWire(t, backendtest.Wire{
				Server: e, Requests: reqs, Own: test.own,
				Asks: func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/hf-inference") },
				Open: func(t *testing.T, url string, d time.Duration) backends.Model {
					return open(t, e.config(func(c *backends.HuggingFaceConfig) {
						c.URLs, c.Timeout = []string{url + "/hf-inference/models/owner/name"}, d
					}))
				},
			})
		})
	}
}
