//go:build linux

package supervisor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const hostVariable = "INFNET_TEST_HOST"

// hosted is what a process that plays infnet does.
type hosted struct {
	Servers []Server
	How     string // "wait", "careful", "panic", "exit"
}

// host plays infnet if this process is one: it starts servers, says so, and
// goes its way once its input ends.
func host() {
	var h hosted
	text := os.Getenv(hostVariable)
	if text == "" {
		return
	}
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		panic(err)
	}
	_ = os.Unsetenv(hostVariable)
	if h.How == "careful" { // as infnet, which finishes calls after the first Ctrl-C
		signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM)
	}
	for _, s := range h.Servers {
		p, err := Start(context.Background(), s)
		if err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		_ = p
	}
	fmt.Println("started")
	_, _ = io.Copy(io.Discard, os.Stdin)
	switch h.How {
	case "panic":
		go func() { panic("a panic that was asked for") }()
		select {}
	case "exit":
		os.Exit(3)
	}
	os.Exit(0)
}
