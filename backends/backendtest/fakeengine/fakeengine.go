// Package fakeengine is a model server for tests: the OpenAI protocol as several servers speak it, and a program
// that behaves, or misbehaves, as engines do when they start, serve and end. It owns the texts that real engines
// print and the shapes in which they answer; it refuses to be used outside tests. A test binary is the program:
// Main, called by TestMain, takes over a process that a script of Install started.
//
// Its opinion: every way in which an engine is known to fail is a test.
package fakeengine

import (
	_ "embed" // failures.json
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Variables of the environment that make a process a fake engine.
const (
	nameVariable = "INFNET_FAKE_ENGINE" // its name: vllm, llama-server
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

// settings are how an engine behaves, each NAME=VALUE:
//
//	once=FILE        misbehave on the first start alone, the one that makes the file
//	words=A,B        more tokens of its vocabulary, "_" for a blank
//	slow=DURATION    it takes so long to start
//	lags=DURATION    it is healthy at once, and answers so much later
//	colours=1        it prints escape sequences, half characters and control characters
//	tells=1          it prints its key
//	fails=NAME       it prints what a real engine prints, and exits: a name of Failures
//	mute=1           it is never ready, and silent
//	deaf=1           it ignores SIGTERM, SIGINT and SIGHUP
//	workers=N        it forks workers that wait for ever, each in a session of its own
//	keeper=1         a child holds the port: forked twice, in a session of its own, deaf
//	bare=1           its children lack the engine's environment
//	forks=1          a child forks itself again and again, and its parent ends each time
//	dies=N           it dies in the middle of the Nth answer
//	refuses=1        it refuses every call, and stays healthy
//	logs=1           it prints a line for every call
//	takes=DURATION   each answer takes so long
//	quits=1          it ends with code 0 at its first call
//	mounts=DURATION  it is healthy at once, and so long has no route for calls
type settings map[string]string

func readSettings(args []string) (s settings, rest []string) {
	s = settings{}
	list := strings.Fields(os.Getenv(Settings))
	for i := 0; i < len(args); i++ {
		if one, ok := strings.CutPrefix(args[i], "--fake="); ok {
			list = append(list, strings.Fields(one)...)
			continue
		}
		rest = append(rest, args[i])
	}
	for _, one := range list {
		name, value, _ := strings.Cut(one, "=")
		s[name] = value
	}
	if path := s["once"]; path != "" {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return settings{"words": s["words"]}, rest
		}
		_ = f.Close()
	}
	return s, rest
}

func (s settings) is(name string) bool { return s[name] != "" }

func (s settings) number(name string) int {
	n, err := strconv.Atoi(s[name])
	if err != nil && s.is(name) {
		panic(fmt.Sprintf("%s=%s is no number", name, s[name]))
	}
	return n
}

func (s settings) duration(name string) time.Duration {
	d, err := time.ParseDuration(s[name])
	if err != nil && s.is(name) {
		panic(fmt.Sprintf("%s=%s is no duration", name, s[name]))
	}
	return d
}

//go:embed failures.json
var failuresJSON []byte

// Failures are what real engines print before they exit with code 1, by what is wrong. Traces of Python are left
// out; the lines that are here are as they were printed.
var Failures = func() map[string]string {
	var list []struct{ Name, Source, Says string }
	if err := json.Unmarshal(failuresJSON, &list); err != nil {
		panic(err)
	}
	says := map[string]string{}
	for _, f := range list {
		says[f.Name] = f.Says
	}
	return says
}()

// died is what vLLM prints when its engine dies under requests: vllm/v1/engine/exceptions.py.
const died = `vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. ` +
	`See stack trace (above) for the root cause.`
