package supervisor

import (
	"os"
	"strconv"
	"strings"
)

// oomKills counts the processes that the kernel has killed for lack of memory,
// on the whole machine and in this process's control group.
func oomKills() int {
	n := 0
	if b, err := os.ReadFile("/proc/vmstat"); err == nil {
		n += counter(string(b), "oom_kill")
	}
	if b, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		for line := range strings.Lines(string(b)) {
			if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
				events, _ := os.ReadFile("/sys/fs/cgroup" + path + "/memory.events")
				n += counter(string(events), "oom_kill")
			}
		}
	}
	return n
}

// counter reads a line "name number".
func counter(text, name string) int {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(rest))
			return n
		}
	}
	return 0
}
