package fakeengine

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// settings are how an engine behaves, each NAME=VALUE:
//
//	once=FILE        misbehave on the first start alone, the one that makes the file
//	words=A,B        more tokens of its vocabulary, "_" for a blank
//	slow=DURATION    it takes so long to start, and prints a line and a progress bar meanwhile
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
//	hangs=N          it answers no more after N answers, and stays healthy
//	refuses=1        it refuses every call, and stays healthy
//	sick=1           it answers calls, and is not healthy
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
