package collect_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/openai"
	"infnet/backends/retry"
	"infnet/harness/collect"
)

// childServer is set in the environment of a process that serves serveAtOnce.
const childServer = "INFNET_TEST_SERVER"

// serveAtOnce answers every chat at once, with a log-probability for each of twenty tokens, until its input ends.
func serveAtOnce() {
	top := `{"token":" a","logprob":-0.5},{"token":" b","logprob":-1.5}`
	for i := range 18 {
		top += fmt.Sprintf(`,{"token":" other%d","logprob":%d.25}`, i, -4-i)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	n := 0
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		n++
		id := n
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"chatcmpl-%024x","object":"chat.completion","created":1,"model":"m",`+
			`"choices":[{"index":0,"message":{"role":"assistant","content":" a"},"logprobs":{"content":[{"token":" a",`+
			`"logprob":-0.5,"top_logprobs":[%s]}]},"finish_reason":"length"}],`+
			`"usage":{"prompt_tokens":60,"completion_tokens":1,"total_tokens":61}}`, id, top)
	}))
	fmt.Println(l.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// review is a prompt of about 200 bytes.
func review(i int) string {
	const said = "the bread was dreadful and the waiter slow, "
	return "Review: " + strings.Repeat(said, 4) + strconv.Itoa(i) + "\nSentiment:"
}

// BenchmarkHTTP is the processor time (cpu-µs) that this process takes for one answer of a server in another process:
// to collect it, and for a bare client that keeps its connections, decodes the reply and flushes a line to a file as
// often.
func BenchmarkHTTP(b *testing.B) {
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), childServer+"=1")
	in, err := server.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); _ = server.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	url := "http://" + strings.TrimSpace(address) + "/v1"
	for _, flight := range []int{1, 32, 256} {
		b.Run(fmt.Sprintf("collect/%d", flight), func(b *testing.B) { timed(b, func() { collectFrom(b, url, flight) }) })
		b.Run(fmt.Sprintf("bare/%d", flight), func(b *testing.B) { timed(b, func() { askBare(b, url, flight) }) })
	}
}

// timed reports the processor time per answer.
func timed(b *testing.B, run func()) {
	used := func() (all time.Duration) {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	run()
	b.ReportMetric(float64((used()-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

func collectFrom(b *testing.B, url string, flight int) {
	id := backends.ModelID{ID: "m", Revision: "1", Kind: backends.OpenAI}
	j := collect.Job{Model: id, Name: "m", Dataset: "reviews", Hash: "d0", Concurrency: flight,
		Items: func(yield func(collect.Item, error) bool) {
			for i := range b.N {
				if !yield(collect.Item{ID: strconv.Itoa(i), Request: backends.Request{Model: id, Mode: backends.Chat,
					Prompt: review(i), Labels: []string{" a", " b"}}}, nil) {
					return
				}
			}
		},
		Open: func() (backends.Model, error) {
			c := &backends.OpenAIConfig{Access: backends.Access{URLs: []string{url}, Concurrency: flight,
				APIKey: "sk-0123456789abcdefghijklmnop"}}
			c.Labels = backends.LabelsTopLogprobs
			m, err := openai.Open(backends.Config{Model: id, Settings: c})
			return retry.New(m, retry.Options{}), err
		}}
	rep, err := collect.Run(b.Context(), newStore(b), []collect.Job{j}, collect.Options{}, nil)
	if err != nil || rep.Jobs[0].Asked != b.N {
		b.Fatalf("%+v, %v", rep, err)
	}
}

// bareReply is what a client reads that trusts its server.
type bareReply struct {
	ID      string `json:"id"`
	Model   string `json:"model"`
	Choices []struct {
		Message struct {
			Content string `json:"content"`
		} `json:"message"`
		Logprobs struct {
			Content []bareToken `json:"content"`
		} `json:"logprobs"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
}

type bareToken struct {
	Token   string      `json:"token"`
	Logprob float64     `json:"logprob"`
	Top     []bareToken `json:"top_logprobs"`
}

func askBare(b *testing.B, url string, flight int) {
	f, err := os.Create(filepath.Join(b.TempDir(), "answers.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = flight, flight
	c := &http.Client{Transport: t, Timeout: time.Minute}
	defer c.CloseIdleConnections()
	ask := func(i int) []byte {
		body, err := json.Marshal(map[string]any{"model": "m", "max_tokens": 1, "temperature": 0, "top_p": 1, "seed": 0,
			"logprobs": true, "top_logprobs": 20, "messages": []any{map[string]string{"role": "user", "content": review(i)}}})
		if err != nil {
			b.Error(err)
		}
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+"/chat/completions", bytes.NewReader(body))
		if err != nil {
			b.Error(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer sk-0123456789abcdefghijklmnop")
		resp, err := c.Do(req)
		if err != nil {
			b.Error(err)
			return nil
		}
		defer resp.Body.Close()
		var r bareReply
		if body, err = io.ReadAll(resp.Body); err == nil {
			err = json.Unmarshal(body, &r)
		}
		if err != nil || len(r.Choices) != 1 {
			b.Error(err)
		}
		line, err := json.Marshal(map[string]any{"id": strconv.Itoa(i), "text": r.Choices[0].Message.Content,
			"logprobs": r.Choices[0].Logprobs.Content[0].Top[:2], "usage": r.Usage})
		if err != nil {
			b.Error(err)
		}
		return append(line, '\n')
	}
	next, lines := make(chan int), make(chan []byte, flight)
	var asking, writing sync.WaitGroup
	writing.Go(func() { flush(b, f, lines) })
	for range flight {
		asking.Go(func() {
			for i := range next {
				lines <- ask(i)
			}
		})
	}
	for i := range b.N {
		next <- i
	}
	close(next)
	asking.Wait()
	close(lines)
	writing.Wait()
}

// flush writes lines, up to 64 with one flush, no two flushes within five milliseconds unless so many have come.
func flush(b *testing.B, f *os.File, lines <-chan []byte) {
	var last time.Time
	for line := range lines {
		n := 1
		wait := time.NewTimer(5*time.Millisecond - time.Since(last))
	gather:
		for n < 64 {
			select {
			case more, open := <-lines:
				if !open {
					break gather
				}
				line = append(line, more...)
				n++
			case <-wait.C:
				break gather
			}
		}
		wait.Stop()
		if _, err := f.Write(line); err != nil {
			b.Error(err)
		}
		if err := f.Sync(); err != nil {
			b.Error(err)
		}
		last = time.Now()
	}
}
