package engine

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"infnet/backends"
)

// release says how an engine's version is found, and which one a study needs.
type release struct {
	engine  backends.Engine
	args    []string // the program prints it; nil = it is not asked
	project string   // of Python, whose folder names it; "" = it is no program of Python
	oldest  string   // "" = any
	why     string   // what earlier ones lack
}

// releases are the engines whose program says its version.
var releases = []release{
	// --runner pooling and log-probabilities as the model computed them (--logprobs-mode) are of 0.10.0
	{backends.VLLM, []string{"--version"}, "vllm", "0.10.0",
		"log-probabilities before any sampling setting, and --runner"},
	{backends.SGLang, nil, "sglang", "", ""},
	{backends.Transformers, nil, "transformers", "", ""},
	{backends.LlamaServer, []string{"--version"}, "", "", ""},
	{backends.Ollama, []string{"--version"}, "", "0.12.11", "log-probabilities"},
}

// slowest is how long a program may take to say its version: vLLM imports PyTorch before it does.
const slowest = 2 * time.Minute

var (
	named  = regexp.MustCompile(`version(?: is|:) v?([0-9]+(?:\.[0-9]+)*)`)
	number = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+`)
)

// find returns the version in what a program printed; "" = there is none. One that is called so comes first, else the
// last number with points: warnings come before it.
func find(printed string) string {
	if m := named.FindStringSubmatch(printed); m != nil {
		return m[1]
	}
	all := number.FindAllString(printed, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// Version asks the program of a launch, at path, for its version. It starts no server. "" = it does not say. old
// says what is wrong with a version that is too old; "" = nothing is known to be.
func Version(ctx context.Context, l *backends.Launch, path string) (version, old string, err error) {
	for _, r := range releases {
		if r.engine != l.Engine {
			continue
		}
		if version = installed(path, r.project); version != "" || r.args == nil {
			return version, r.old(version), nil
		}
		ctx, cancel := context.WithTimeout(ctx, slowest)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, r.args...)
		cmd.WaitDelay = time.Second
		var out bytes.Buffer
		both := &limited{&out} // one writer, which is written to by one goroutine
		cmd.Stdout, cmd.Stderr = both, both
		err := cmd.Run()
		if ctx.Err() == context.DeadlineExceeded {
			return "", "", fmt.Errorf("%s %s: no answer in %v", path, strings.Join(r.args, " "), slowest)
		}
		version = find(lastLines(out.String()))
		if err != nil {
			return "", "", fmt.Errorf("%s %s: %w: %s", path, strings.Join(r.args, " "), err, lastLines(out.String()))
		}
		return version, r.old(version), nil
	}
	return "", "", nil
}

// old says what is wrong with a version that is too old.
func (r release) old(version string) string {
	if version == "" || r.oldest == "" || !Older(version, r.oldest) {
		return ""
	}
	return fmt.Sprintf("%s or newer is needed for %s", r.oldest, r.why)
}

// installed is the version of a project that pip installed where the program is, by the name of its folder:
// lib/python3.12/site-packages/vllm-0.32.0.dist-info. The program itself takes half a minute and more to say it.
// "" = it is not there, or there are several.
func installed(program, project string) string {
	if project == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	root := filepath.Dir(filepath.Dir(program))
	found, _ := filepath.Glob(filepath.Join(root, "lib", "python3*", "site-packages", project+"-*.dist-info"))
	if len(found) != 1 {
		return ""
	}
	return number.FindString(strings.TrimPrefix(filepath.Base(found[0]), project+"-"))
}

// limited keeps the first 64 KiB.
type limited struct{ to *bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	l.to.Write(p[:min(len(p), max(0, 1<<16-l.to.Len()))])
	return len(p), nil
}

// lastLines is the end of a program's output, on one line. Engines print warnings before their version.
func lastLines(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	out := strings.Join(strings.Fields(strings.Join(lines[max(0, len(lines)-2):], " ")), " ")
	if r := []rune(out); len(r) > 200 {
		out = string(r[len(r)-200:])
	}
	return out
}

// Older reports whether a version comes before another. Both are numbers with points; what is not there is 0.
func Older(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		m, n := part(x, i), part(y, i)
		if m != n {
			return m < n
		}
	}
	return false
}

func part(list []string, i int) int {
	if i >= len(list) {
		return 0
	}
	n, err := strconv.Atoi(list[i])
	if err != nil {
		return 0
	}
	return n
}
