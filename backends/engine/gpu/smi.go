package gpu

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	patience = 20 * time.Second // for nvidia-smi: on a busy machine with eight GPUs it takes seconds
	most     = 1 << 20          // bytes of its output that are read; 1,000 GPUs take 200 kB
)

// query are the fields that nvidia-smi is asked for, in order. All exist since driver 450, of 2020
// (nvidia-smi --help-query-gpu).
var query = []string{"index", "uuid", "name", "memory.total", "memory.free", "driver_version", "mig.mode.current"}

// corrupt is the exit code of an nvidia-smi that answers, and warns of a GPU whose infoROM is corrupt: such a GPU
// computes (its manual, section RETURN VALUE).
const corrupt = 14

// noneFound is what nvidia-smi says where there is no GPU.
const noneFound = "no devices were found"

// ask lists all GPUs of the machine, with the slices of those that are divided.
func ask(ctx context.Context, patience time.Duration) (Machine, error) {
	path, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return Machine{
			Why: "nvidia-smi is not on the PATH, so this machine has no NVIDIA GPU, or no driver for it",
			Fix: "on a machine with a GPU, install the NVIDIA driver, which brings nvidia-smi; in a container, start it with " +
				"--gpus all",
		}, nil
	}
	out, err := run(ctx, patience, path, "--query-gpu="+strings.Join(query, ","), "--format=csv,noheader,nounits")
	if err == nil && bytes.Contains(bytes.ToLower(out), []byte(noneFound)) { // some versions call this a success
		err = &smiError{said: brief(out), err: errors.New("no GPU")}
	}
	if err != nil {
		if why, fix := diagnose(err); why != "" {
			return Machine{Why: why, Fix: fix}, nil
		}
		return Machine{}, err
	}
	m, divided, err := parseQuery(out)
	if err != nil {
		return Machine{}, err
	}
	if divided {
		list, err := run(ctx, patience, path, "-L")
		if err != nil {
			return Machine{}, err
		}
		whole := m.Devices
		if m.Devices, err = withSlices(whole, list); err != nil {
			return Machine{}, err
		}
		if len(m.Devices) == 0 {
			m.Why = fmt.Sprintf("%s in MIG mode without any slice", count(len(whole)))
			m.Fix = "nvidia-smi mig -cgi PROFILE -C makes slices (-lgip lists the profiles), nvidia-smi -mig 0 ends the mode"
			return m, nil
		}
	}
	for i := range m.Devices {
		m.Devices[i].divided = false
	}
	if len(m.Devices) == 0 {
		m.Why = "nvidia-smi lists no GPU"
		m.Fix = "nvidia-smi -L shows what the driver sees; in a container, start it with --gpus all"
	}
	return m, nil
}

// smiError is an nvidia-smi that failed.
type smiError struct {
	said string // its output, short
	err  error
}

func (e *smiError) Error() string {
	s := "nvidia-smi: " + e.err.Error()
	if e.said != "" {
		s += ": " + e.said
	}
	return s
}

func (e *smiError) Unwrap() error { return e.err }

// run runs nvidia-smi for a bounded time and returns its output, of bounded length.
func run(ctx context.Context, patience time.Duration, path string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second // a child of it may hold the pipe
	var out, warned bounded     // what libraries warn of is no part of the list
	cmd.Stdout, cmd.Stderr = &out, &warned
	err := cmd.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == corrupt && len(out.text) > 0 {
		err = nil
	}
	switch {
	case ctx.Err() != nil && context.Cause(ctx) == context.DeadlineExceeded:
		return nil, &smiError{err: fmt.Errorf("no answer in %v: the driver may hang; look at dmesg, or restart the machine",
			patience)}
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, &smiError{said: brief(slices.Concat(out.text, []byte(" "), warned.text)), err: err}
	case out.over:
		return nil, &smiError{err: fmt.Errorf("it prints more than %d bytes", most)}
	}
	return out.text, nil
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	text []byte
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := most - len(b.text)
	b.over = b.over || len(p) > room
	b.text = append(b.text, p[:min(len(p), room)]...)
	return len(p), nil
}

// diagnose says why an nvidia-smi that failed sees no GPU, and the fix; "" if the failure says nothing about
// that. The texts are those of nvidia-smi, the exit codes those of its manual (section RETURN VALUE).
func diagnose(err error) (why, fix string) {
	var e *smiError
	if !errors.As(err, &e) {
		return "", ""
	}
	var exit *exec.ExitError
	code := -1
	if errors.As(e.err, &exit) {
		code = exit.ExitCode()
	}
	said := strings.ToLower(e.said)
	switch {
	case strings.Contains(said, "version mismatch") || code == 18:
		return "the NVIDIA driver in memory and its library differ in version: " + e.said,
			"restart the machine: the driver was updated, and the old one is still loaded"
	case strings.Contains(said, "couldn't communicate with the nvidia driver") || code == 9:
		return "the NVIDIA driver is not loaded: " + e.said,
			"install the driver for this kernel, or load it (modprobe nvidia); then nvidia-smi lists the GPUs"
	case strings.Contains(said, noneFound) || code == 6:
		return "nvidia-smi finds no GPU: " + e.said, "in a container, start it with --gpus all"
	case strings.Contains(said, "unable to determine the device handle") || strings.Contains(said, "gpu is lost") ||
		code == 15:
		return "a GPU does not answer its driver: " + e.said, "restart the machine; dmesg says what happened (NVRM: Xid)"
	case strings.Contains(said, "not found") && code == 12:
		return "the NVIDIA driver's library is not there: " + e.said,
			"install the NVIDIA driver; in a container, start it with --gpus all"
	}
	return "", ""
}

// parseQuery reads the answer to query. Every line must be as asked for; [N/A] and the like stand for memory
// that the driver does not state. divided reports whether a GPU is divided into slices.
func parseQuery(out []byte) (m Machine, divided bool, err error) {
	r := csv.NewReader(bytes.NewReader(warning.ReplaceAll(out, nil)))
	r.FieldsPerRecord, r.TrimLeadingSpace = len(query), true
	for line := 1; ; line++ {
		row, err := r.Read()
		if err == io.EOF {
			return m, divided, nil
		}
		if err != nil {
			return Machine{}, false, fmt.Errorf("nvidia-smi does not list GPUs as it should: %w: %s", err, brief(out))
		}
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		d, err := parseRow(row)
		if err == nil && d.Index != len(m.Devices) {
			err = fmt.Errorf("GPU %d follows GPU %d", d.Index, len(m.Devices)-1)
		}
		if err != nil {
			return Machine{}, false, fmt.Errorf("nvidia-smi, line %d, %s: %w", line, brief([]byte(strings.Join(row, ", "))), err)
		}
		divided = divided || d.divided
		m.Devices, m.Driver = append(m.Devices, d), row[5]
	}
}

var (
	gpuID   = regexp.MustCompile(`^GPU-[0-9A-Fa-f-]{8,64}$`)
	sliceID = regexp.MustCompile(`^MIG-[0-9A-Za-z/-]{8,100}$`)
	version = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*$`)
	warning = regexp.MustCompile(`(?m)^WARNING: .*$`) // among the lines, as of a corrupt infoROM
)

// parseRow reads a GPU.
func parseRow(row []string) (d Device, err error) {
	if d.Index, err = strconv.Atoi(row[0]); err != nil || d.Index < 0 {
		return d, fmt.Errorf("index %q is no number", row[0])
	}
	if d.UUID, d.Name = row[1], printable(row[2]); !gpuID.MatchString(d.UUID) {
		return d, fmt.Errorf("%q is no UUID of a GPU", row[1])
	}
	if d.Name == "" {
		return d, errors.New("the GPU has no name")
	}
	if d.Total, _, err = mebibytes(row[3]); err != nil {
		return d, err
	}
	if d.Free, d.known, err = mebibytes(row[4]); err != nil {
		return d, err
	}
	if d.Free > d.Total && d.Total > 0 {
		return d, fmt.Errorf("%s MiB of %s are free", row[4], row[3])
	}
	if !version.MatchString(row[5]) {
		return d, fmt.Errorf("%q is no version of a driver", row[5])
	}
	switch row[6] {
	case "Enabled":
		d.divided = true
	case "Disabled":
	default:
		if !unstated(row[6]) {
			return d, fmt.Errorf("MIG mode %q is neither Enabled nor Disabled", row[6])
		}
	}
	return d, nil
}

// unstated reports whether nvidia-smi does not state a value.
func unstated(s string) bool {
	return len(s) > 2 && s[0] == '[' && s[len(s)-1] == ']' || s == "N/A"
}

// mebibytes reads an amount of memory, in bytes; ok is false where it is not stated.
func mebibytes(s string) (n int64, ok bool, err error) {
	if unstated(s) {
		return 0, false, nil
	}
	n, err = strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>20 {
		return 0, false, fmt.Errorf("memory %q is no number of MiB", s)
	}
	return n << 20, true, nil
}

// brief is text of another program, fit for one line of an error.
func brief(b []byte) string {
	const longest = 200
	s := []rune(strings.Join(strings.Fields(printable(string(b))), " "))
	if len(s) > longest {
		return string(s[:longest]) + "…"
	}
	return string(s)
}

// printable replaces what cannot be printed, line breaks included, by spaces.
func printable(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\uFFFD' || !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, s))
}
