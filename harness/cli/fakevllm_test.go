package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// fakeVLLM is a program that takes the arguments of vllm serve and serves "small" and "large" as
// loopback does. Its habits are in the file that the variable FAKE names, a line each: the served
// name, a habit, and a number.
//
//	NAME slow MS       it says a line, and listens so much later
//	NAME cold MS       it is healthy and answers 503 for so long
//	NAME oom 0         it runs out of memory while it starts
//	NAME mute 0        it says nothing and never listens
//	NAME background 0  it ends at once, without an error
//	NAME sick 0        its health is 503
//	NAME chatty 0      it logs every call
//	NAME fatal N       it ends after N answers, once for each line of the file that is removed then
//	NAME hang N        it answers no more after N answers, once, and stays healthy
//	NAME refuse 0      it is healthy and refuses every request
//	NAME deaf 0        it ignores SIGTERM
//	NAME fork 0        it starts a process in a session of its own
//	NAME pause MS      each answer takes so long
//
// What happens is in the file FAKE.log: "start NAME", "answer NAME PORT", "stop NAME".
func fakeVLLM() int {
	flags := flag.NewFlagSet("vllm", flag.ContinueOnError)
	name, port := flags.String("served-model-name", "", ""), flags.String("port", "", "")
	for _, f := range []string{"host", "max-logprobs", "generation-config", "seed", "dtype", "revision",
		"tokenizer-revision", "runner",
		"max-model-len"} {
		flags.String(f, "", "")
	}
	if len(os.Args) < 3 || os.Args[1] != "serve" {
		fmt.Fprintln(os.Stderr, "usage: vllm serve MODEL …")
		return 2
	}
	if err := flags.Parse(os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "vllm: error: unrecognized arguments:", err)
		return 2
	}
	f := &fakeServer{name: *name, port: *port,
		file: os.Getenv("INFNET_FAKE_HABITS"), inner: &loopback{asked: map[string]int{}}}
	f.inner.key = os.Getenv("VLLM_API_KEY")
	return f.run()
}

type fakeServer struct {
	name, port, file string
	inner            *loopback
	began            time.Time
	answers          atomic.Int64
	hangs            atomic.Bool
}

// habit returns the number of a habit; ok is false if the server does not have it.
func (f *fakeServer) habit(what string) (n int, ok bool) {
	text, _ := os.ReadFile(f.file)
	for line := range strings.Lines(string(text)) {
		var name, habit string
		if k, _ := fmt.Sscan(line, &name, &habit, &n); k == 3 && name == f.name && habit == what {
			return n, true
		}
	}
	return 0, false
}

// heal removes a habit from the file.
func (f *fakeServer) heal(what string) {
	text, _ := os.ReadFile(f.file)
	lines := slices.Collect(strings.Lines(string(text)))
	i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, f.name+" "+what+" ") })
	if i >= 0 {
		_ = os.WriteFile(f.file, []byte(strings.Join(slices.Delete(lines, i, i+1), "")), 0o666)
	}
}

func (f *fakeServer) note(format string, args ...any) {
	log, err := os.OpenFile(f.file+".log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		fmt.Fprintf(log, format+"\n", args...)
		_ = log.Close()
	}
}

func (f *fakeServer) run() int {
	fmt.Println("arguments:", strings.Join(os.Args[2:], " "))
	f.note("start %s", f.name)
	defer f.note("stop %s", f.name)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	if _, is := f.habit("deaf"); is {
		signal.Ignore(syscall.SIGTERM)
	}
	wait := func(d time.Duration) bool {
		select {
		case <-stop:
			return false
		case <-time.After(d):
			return true
		}
	}
	if _, is := f.habit("fork"); is {
		worker := exec.Command("setsid", "sleep", "3600")
		if err := worker.Start(); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	if _, is := f.habit("oom"); is {
		fmt.Println("loading weights")
		fmt.Println("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")
		return 1
	}
	if _, is := f.habit("background"); is {
		return 0
	}
	if _, is := f.habit("mute"); is {
		wait(time.Hour)
		return 1
	}
	if ms, is := f.habit("slow"); is {
		fmt.Println("Loading safetensors checkpoint shards:  50%")
		if !wait(time.Duration(ms) * time.Millisecond) {
			return 0
		}
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", f.port))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	f.began = time.Now()
	go func() { _ = http.Serve(l, f) }()
	fmt.Println("Application startup complete.")
	<-stop
	return 0
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, is := f.habit("chatty"); is {
		fmt.Println("INFO:", r.RemoteAddr, r.Method, r.URL.Path)
	}
	switch r.URL.Path {
	case "/health":
		if _, is := f.habit("sick"); is {
			w.WriteHeader(503)
			return
		}
		w.WriteHeader(200)
		return
	case "/version":
		_, _ = io.WriteString(w, `{"version":"0.32.0"}`)
		return
	case "/v1/embeddings":
		f.embed(w, r)
		return
	}
	if ms, is := f.habit("cold"); is && time.Since(f.began) < time.Duration(ms)*time.Millisecond {
		http.Error(w, `{"error":{"message":"still warming up"}}`, http.StatusServiceUnavailable)
		return
	}
	if _, is := f.habit("refuse"); is {
		http.Error(w, `{"error":{"message":"no chat template"}}`, 400)
		return
	}
	if strings.HasSuffix(r.URL.Path, "completions") {
		if ms, is := f.habit("pause"); is {
			time.Sleep(time.Duration(ms) * time.Millisecond)
		}
		f.note("answer %s %s", f.name, f.port)
		if most, is := f.habit("hang"); is && f.answers.Add(1) == int64(most)+1 {
			f.heal("hang")
			f.hangs.Store(true)
		}
		if f.hangs.Load() {
			<-r.Context().Done()
			return
		}
		if most, is := f.habit("fatal"); is && f.answers.Add(1) == int64(most)+1 {
			f.heal("fatal")
			f.note("stop %s", f.name)
			fmt.Println("EngineDeadError: a worker died")
			os.Exit(1) // in the midst of an answer
		}
	}
	f.inner.ServeHTTP(w, r)
}

// embed answers with vectors of the texts' letters.
func (f *fakeServer) embed(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model string
		Input []string
	}
	_ = json.NewDecoder(r.Body).Decode(&q)
	f.note("answer %s %s", f.name, f.port)
	data := []any{}
	for i, text := range q.Input {
		v := make([]float64, 8)
		for _, c := range []byte(text) {
			v[c%8]++
		}
		v[0]++
		data = append(data, map[string]any{"index": i, "embedding": v})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"model": q.Model, "data": data,
		"usage": map[string]any{"prompt_tokens": 1, "total_tokens": 1}})
}
