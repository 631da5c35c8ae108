package fakeengine

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type engine struct {
	settings
	name     string
	server   *Server
	listener net.Listener
	began    time.Time
	answers  atomic.Int64

	mu     sync.Mutex
	models map[string]bool // of ollama
}

func run(name string, args []string) int {
	set, args := readSettings(args)
	e := &engine{settings: set, name: name, began: time.Now(), models: map[string]bool{}}
	if e.is("deaf") || os.Getenv(roleVariable) == "keeper" {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	if role := os.Getenv(roleVariable); role != "" {
		return e.play(role)
	}
	address, code, over := e.options(args)
	if over {
		return code
	}
	e.print()
	if text, ok := Failures[e.settings["fails"]]; ok {
		fmt.Fprintln(os.Stderr, text)
		return 1
	} else if e.is("fails") {
		panic("no such failure: " + e.settings["fails"])
	}
	for e.is("mute") {
		time.Sleep(time.Hour)
	}
	var err error
	if e.listener, err = net.Listen("tcp", address); err != nil {
		fmt.Fprintln(os.Stderr, Failures["port"])
		return 1
	}
	if err := e.fork(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("INFO:     Application startup complete.")
	fmt.Fprintln(os.Stderr, http.Serve(e.listener, e))
	return 1
}

// options reads the command line of the engine. It is over where the command serves nothing.
func (e *engine) options(args []string) (address string, code int, over bool) {
	value := func(names ...string) string {
		for i, a := range args {
			for _, name := range names {
				if a == name && i+1 < len(args) {
					return args[i+1]
				}
				if v, ok := strings.CutPrefix(a, name+"="); ok {
					return v
				}
			}
		}
		return ""
	}
	first := ""
	if len(args) > 0 {
		first = args[0]
	}
	if first == "--version" {
		fmt.Println(map[string]string{"vllm": "0.32.0", "sglang": "0.5.6", "llama-server": "version: 7000 (0123abc)",
			"ollama": "ollama version is 0.17.4"}[e.name])
		return "", 0, true
	}
	flavour := Flavours[strings.Replace(e.name, "llama-server", "llama.cpp", 1)]
	if e.name == "vllm" {
		flavour.Release = "0.32.0"
	}
	e.server = &Server{Flavour: flavour, Vocabulary: Words, Model: value("--served-model-name", "--alias")}
	if e.server.Model == "" && e.name == "vllm" && len(args) > 1 {
		e.server.Model = args[1]
	}
	if more := e.settings["words"]; more != "" {
		e.server.Vocabulary = append(Words[:len(Words):len(Words)], strings.Split(more, ",")...)
	}
	e.server.Key = cmp.Or(value("--api-key"), os.Getenv("VLLM_API_KEY"), os.Getenv("LLAMA_API_KEY"))
	address = net.JoinHostPort(cmp.Or(value("--host"), "127.0.0.1"), cmp.Or(value("--port"), "8000"))
	if e.name == "ollama" {
		e.server.Key, e.server.Model = "", ""
		address = cmp.Or(os.Getenv("OLLAMA_HOST"), "127.0.0.1:11434")
		if first != "serve" {
			return "", ollama(address, args), true
		}
	}
	return address, 0, false
}

func (e *engine) print() {
	if e.is("tells") {
		fmt.Printf("INFO non-default args: {'api_key': ['%s'], 'port': 8000}\n", e.server.Key)
	}
	if e.is("colours") {
		fmt.Print("\x1b[32mINFO\x1b[0m \x1b]0;a title\x07coloured \xe2\x82\n\x1b[2Jcleared\a\b \u202ereversed\n")
	}
	if d := e.duration("slow"); d > 0 {
		for i, line := range starting {
			fmt.Println(line)
			for part := range 10 {
				fmt.Printf("\rLoading safetensors checkpoint shards: %3d%% Completed", 10*(part+1)/(len(starting)-i))
				time.Sleep(d / time.Duration(10*len(starting)))
			}
			fmt.Println()
		}
	}
}
