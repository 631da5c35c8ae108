// Package fakeengine is a model server for tests: the OpenAI protocol as several servers speak it, and a program
// that behaves, or misbehaves, as engines do when they start, serve and end. It owns the texts that real engines
// print and the shapes in which they answer; it refuses to be used outside tests. A test binary is the program:
// Main, called by TestMain, takes over a process that a script of Install started.
//
// Its opinion: every way in which an engine is known to fail is a test.
package fakeengine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Variables of the environment that make a process a fake engine.
const (
	nameVariable = "INFNET_FAKE_ENGINE" // its name: vllm, sglang, llama-server, ollama
	roleVariable = "INFNET_FAKE_ROLE"   // what it does for its parent; "" = it is the engine

	// Settings holds the engine's Settings, separated by blanks. One that is
	// among the engine's arguments, as --fake=SETTING, counts more.
	Settings = "INFNET_FAKE"
)

// Main takes over the process if a script of Install started it, and does not return then. TestMain calls it,
// after supervisor.Main.
func Main() {
	name := os.Getenv(nameVariable)
	if name == "" {
		return
	}
	os.Exit(run(name, os.Args[1:]))
}

// Names are the engines that Install knows.
func Names() []string { return []string{"vllm", "sglang", "llama-server", "ollama"} }

// Install writes the programs of the named engines into a folder, which belongs on the PATH. They are this test
// binary.
func Install(dir string, names ...string) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		script := fmt.Sprintf("#!/bin/sh\n%s=%s exec '%s' \"$@\"\n", nameVariable, name,
			strings.ReplaceAll(binary, "'", `'\''`))
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700))
	}
	return errors.Join(errs...)
}
