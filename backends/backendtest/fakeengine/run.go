package fakeengine

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
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
}

func run(name string, args []string) int {
	set, args := readSettings(args)
	e := &engine{settings: set, name: name, began: time.Now()}
	if e.is("deaf") || os.Getenv(roleVariable) == "keeper" {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	if role := os.Getenv(roleVariable); role != "" {
		return e.play(role)
	}
	address := e.options(args)
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

// options reads the command line of the engine.
func (e *engine) options(args []string) (address string) {
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
	return address
}

func (e *engine) print() {
	if e.is("tells") {
		fmt.Printf("INFO non-default args: {'api_key': ['%s'], 'port': 8000}\n", e.server.Key)
	}
	if e.is("colours") {
		fmt.Print("\x1b[32mINFO\x1b[0m \x1b]0;a title\x07coloured \xe2\x82\n\x1b[2Jcleared\a\b \u202ereversed\n")
	}
	time.Sleep(e.duration("slow"))
}
