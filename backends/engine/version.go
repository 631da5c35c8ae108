package engine

import (
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

// release says how an engine's version is found, and which one a study needs. The zero release is not asked.
type release struct {
	args    []string // the program prints it; nil = it is not asked
	project string   // of Python, whose folder names it; "" = it is no program of Python
	oldest  string   // "" = any
	why     string   // what earlier ones lack
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
	r := of(l).release
	if version = installed(path, r.project); version == "" && r.args != nil {
		ctx, cancel := context.WithTimeout(ctx, slowest)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, r.args...)
		cmd.WaitDelay = time.Second
		out, err := cmd.CombinedOutput()
		said := lastLines(string(out))
		if ctx.Err() == context.DeadlineExceeded {
			err = fmt.Errorf("no answer in %v", slowest)
		}
		if err != nil {
			return "", "", fmt.Errorf("%s %s: %w: %s", path, strings.Join(r.args, " "), err, said)
		}
		version = find(said)
	}
	if version != "" && r.oldest != "" && Older(version, r.oldest) {
		old = fmt.Sprintf("%s or newer is needed for %s", r.oldest, r.why)
	}
	return version, old, nil
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
		var parts [2]int
		for k, list := range [][]string{x, y} {
			if i < len(list) {
				parts[k], _ = strconv.Atoi(list[i])
			}
		}
		if parts[0] != parts[1] {
			return parts[0] < parts[1]
		}
	}
	return false
}
