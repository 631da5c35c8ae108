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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/openai"
	"infnet/backends/retry"
	"infnet/harness/collect"
	"infnet/harness/store"
)

// serveVariable makes the test binary a server: what a call costs is measured without what its server costs.
const serveVariable = "INFNET_BENCH_SERVER"

// chatTokens is the number of tokens of every reply.
const chatTokens = 8

// serveChats answers chats until its input ends.
func serveChats() error {
	var tokens []string
	for i := range chatTokens {
		tokens = append(tokens, fmt.Sprintf(`{"token":" w%d","logprob":-0.%d,"bytes":[32,119,%d],"top_logprobs":[]}`, i, i+1,
			'0'+i))
	}
	var n atomic.Int64
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		l.Close()
	}()
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"chatcmpl-%032x","object":"chat.completion","created":1700000000,"model":"m",`+
			`"choices":[{"index":0,"message":{"role":"assistant","content":" w0 w1 w2 w3 w4 w5 w6 w7"},"logprobs":{"content":[%s]},`+
			`"finish_reason":"length"}],"usage":{"prompt_tokens":12,"completion_tokens":%d,"total_tokens":%d}}`,
			n.Add(1), strings.Join(tokens, ","), chatTokens, 12+chatTokens)
	}))
	return nil
}

// chatServer starts a server in a process of its own.
func chatServer(b *testing.B) (url string) {
	b.Helper()
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), serveVariable+"=1")
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
	b.Cleanup(func() {
		in.Close()
		_ = server.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return "http://" + strings.TrimSpace(address) + "/v1"
}

// processor is the processor time of this process.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

var served = backends.ModelID{ID: "m", Revision: "1", Kind: backends.OpenAI}

func chat(i int) backends.Request {
	return backends.Request{Model: served, Mode: backends.Chat, MaxTokens: chatTokens, Served: "m",
		Prompt: "What is word number " + strconv.Itoa(i) + " of the sentence? Answer briefly."}
}

// BenchmarkHTTP is what a call costs in processor time, beside a Go client that sends the same body and reads the same
// reply into a small struct: over kept connections, as ours, and over one a call.
func BenchmarkHTTP(b *testing.B) {
	url := chatServer(b)
	for _, flying := range []int{1, 32, 256} {
		for _, way := range []struct {
			name string
			ask  func(b *testing.B, url string, n, flying int)
		}{{"bare-kept", bare(true)}, {"bare", bare(false)}, {"collect", collected}} {
			b.Run(fmt.Sprintf("%d/%s", flying, way.name), func(b *testing.B) {
				before := processor()
				way.ask(b, url, b.N, flying)
				b.ReportMetric(float64((processor()-before).Microseconds())/float64(b.N), "cpu-µs/call")
			})
		}
	}
}

// collected asks through a collection.
func collected(b *testing.B, url string, n, flying int) {
	j := collect.Job{Model: served, Name: "m", Dataset: "d", Hash: "h", Concurrency: flying,
		Items: func(yield func(collect.Item, error) bool) {
			for i := 0; i < n && yield(collect.Item{ID: strconv.Itoa(i), Request: chat(i)}, nil); i++ {
			}
		},
		Open: func() (backends.Model, error) {
			m, err := openai.Open(backends.Config{Model: served, Settings: &backends.OpenAIConfig{URLs: []string{url},
				Served: "m", Labels: backends.LabelsTopLogprobs, Concurrency: flying}})
			return retry.New(m, retry.Options{Tries: 3}), err
		}}
	rep, err := collect.Run(b.Context(), store.Open(b.TempDir(), store.Options{}), []collect.Job{j},
		collect.Options{}, nil)
	if err != nil || rep.Asked() != n {
		b.Fatal(err, rep)
	}
}

// bare asks by net/http and encoding/json alone.
func bare(kept bool) func(b *testing.B, url string, n, flying int) {
	return func(b *testing.B, url string, n, flying int) {
		pool := http.DefaultTransport.(*http.Transport).Clone()
		pool.MaxIdleConns, pool.MaxIdleConnsPerHost, pool.DisableKeepAlives = flying, flying, !kept
		defer pool.CloseIdleConnections()
		client := &http.Client{Transport: pool}
		work := make(chan int)
		var wg sync.WaitGroup
		for range flying {
			wg.Go(func() {
				for i := range work {
					if err := bareCall(client, url, i); err != nil {
						b.Error(err)
					}
				}
			})
		}
		for i := range n {
			work <- i
		}
		close(work)
		wg.Wait()
	}
}

func bareCall(client *http.Client, url string, i int) error {
	body, err := json.Marshal(map[string]any{"model": "m", "max_tokens": chatTokens, "temperature": 0, "logprobs": true,
		"seed": 0, "top_p": 1, "messages": []map[string]string{{"role": "user", "content": chat(i).Prompt}}})
	if err != nil {
		return err
	}
	resp, err := client.Post(url+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var reply struct {
		Choices []struct {
			Message  struct{ Content string }
			Logprobs struct {
				Content []struct {
					Token   string
					Logprob float64
				}
			}
		}
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		}
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return err
	}
	if len(reply.Choices) != 1 || len(reply.Choices[0].Logprobs.Content) != chatTokens {
		return fmt.Errorf("reply %s", data)
	}
	return nil
}
