package supervisor

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// identity is a process for good: numbers are used again, a number with the time at which it began is not.
type identity struct {
	PID   int
	Start uint64 // in clock ticks since boot
}

type process struct {
	identity
	parent, group int
	zombie        bool // ended in all its threads: a program whose first thread has ended may run on
}

// inspect reads /proc/PID/stat; see proc_pid_stat(5) for the fields.
func inspect(pid int) (process, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	return parseStat(pid, string(b))
}

func parseStat(pid int, text string) (process, bool) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]) // a program's name may hold parentheses and blanks
	if len(fields) < 20 {
		return process{}, false
	}
	parent, err1 := strconv.Atoi(fields[1])
	group, err2 := strconv.Atoi(fields[2])
	threads, err3 := strconv.Atoi(fields[17])
	start, err4 := strconv.ParseUint(fields[19], 10, 64)
	return process{identity: identity{pid, start}, parent: parent, group: group,
		zombie: threads <= 1 && (fields[0] == "Z" || fields[0] == "X")}, errors.Join(err1, err2, err3, err4) == nil
}

func processes() (out []process) {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, n := range names {
		if pid, err := strconv.Atoi(n.Name()); err == nil {
			if p, ok := inspect(pid); ok {
				out = append(out, p)
			}
		}
	}
	return out
}

// below returns the processes of a list that descend from one that root
// accepts, or that it accepts themselves. Zombies are left out.
func below(all []process, root func(process) bool) (out []process) {
	children, seen := map[int][]process{}, map[int]bool{}
	var next []process
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
		if root(p) {
			next = append(next, p)
		}
	}
	for len(next) > 0 {
		p := next[0]
		next = next[1:]
		if seen[p.PID] {
			continue
		}
		seen[p.PID] = true
		if !p.zombie {
			out = append(out, p)
		}
		next = append(next, children[p.PID]...)
	}
	return out
}

func descendants(of int) []process {
	return below(processes(), func(p process) bool { return p.parent == of })
}

// alive reports whether the very process still runs.
func (i identity) alive() bool {
	p, ok := inspect(i.PID)
	return ok && p.identity == i && !p.zombie
}

// signal sends a signal to the very process, never to one that has its number
// now: a pidfd holds on to the process between the check and the signal.
func (i identity) signal(sig syscall.Signal) error {
	fd, err := unix.PidfdOpen(i.PID, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // before Linux 5.3, and in some containers
		if !i.alive() {
			return nil
		}
		return ended(unix.Kill(i.PID, sig))
	}
	if err != nil {
		return ended(err)
	}
	defer unix.Close(fd)
	if !i.alive() {
		return nil
	}
	return ended(unix.PidfdSendSignal(fd, sig, nil, 0))
}

func ended(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// powerless is how long processes that SIGKILL does not end are asked to: other users', or such as wait for a device.
const powerless = 10 * time.Second

// stop stops processes as they are found: SIGTERM to each, the time of grace, SIGKILL until none is found. It returns
// those that do not end.
//
// SIGKILL goes to process groups first: a group gets it in one step, so a process that forks and exits all the time
// cannot slip through between our reading and our signal. The groups hold none but the server's processes, as the
// engine has a session of its own.
func stop(grace time.Duration, find func() []process) (left []int) {
	asked := map[identity]bool{}
	for began, wait := time.Now(), 5*time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		found := find()
		passed := time.Since(began)
		left = left[:0]
		for _, p := range found {
			left = append(left, p.PID)
			switch {
			case passed >= grace:
				if p.group > 1 && p.group != unix.Getpgrp() {
					_ = unix.Kill(-p.group, syscall.SIGKILL)
				}
				_ = p.signal(syscall.SIGKILL)
			case !asked[p.identity]:
				asked[p.identity] = true
				_ = p.signal(syscall.SIGTERM)
			}
		}
		if len(found) == 0 || passed > grace+powerless {
			return left
		}
		time.Sleep(min(wait, max(grace-passed, 5*time.Millisecond)))
	}
}

// marked lists the live processes whose environment has the mark of a server, and all below them.
func marked(mark string) []process {
	return below(processes(), func(p process) bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
		return err == nil && bytes.Contains(append([]byte{0}, b...), []byte("\x00"+mark+"\x00"))
	})
}
