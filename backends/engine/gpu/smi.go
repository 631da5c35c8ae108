package gpu

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// patience is how long nvidia-smi may take: on a busy machine with eight GPUs it takes seconds.
const patience = 20 * time.Second

// query are the fields that nvidia-smi is asked for, in order. All exist since driver 450, of 2020
// (nvidia-smi --help-query-gpu).
const query = "index,uuid,name,memory.total,memory.free,driver_version,mig.mode.current"

// corrupt is the exit code of an nvidia-smi that answers, and warns of a GPU whose infoROM is corrupt: such a GPU
// computes (its manual, section RETURN VALUE).
const corrupt = 14

func ask(ctx context.Context, patience time.Duration) Machine {
	path, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return Machine{
			Why: "nvidia-smi is not on the PATH, so this machine has no NVIDIA GPU, or no driver for it",
			Fix: "on a machine with a GPU, install the NVIDIA driver, which brings nvidia-smi; in a container, start it with " +
				"--gpus all",
		}
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(limited, path, "--query-gpu="+query, "--format=csv,noheader,nounits")
	cmd.WaitDelay = time.Second // a child of it may hold the pipe
	out, err := cmd.Output()    // what libraries warn of on standard error is no part of the list
	var exit *exec.ExitError
	switch {
	case limited.Err() != nil && ctx.Err() == nil:
		err = fmt.Errorf("no answer in %v: the driver may hang", patience)
	case errors.As(err, &exit) && exit.ExitCode() == corrupt && len(out) > 0:
		err = nil
	case exit != nil:
		err = fmt.Errorf("%w: %s", err, brief(string(out)+" "+string(exit.Stderr)))
	}
	var m Machine
	if err == nil {
		m, err = parse(out)
	}
	if err == nil && len(m.Devices) == 0 {
		err = errors.New("it lists no GPU")
	}
	if err != nil {
		return Machine{Why: "nvidia-smi: " + err.Error(),
			Fix: "mend that first: the driver has to be installed for this kernel, loaded (modprobe nvidia) and, after an " +
				"update, the machine restarted; a container is started with --gpus all; dmesg says what happened (NVRM: Xid)"}
	}
	return m
}

var (
	gpuID   = regexp.MustCompile(`^GPU-[0-9A-Fa-f-]{8,64}$`)
	version = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*$`)
	warning = regexp.MustCompile(`(?m)^WARNING: .*$`) // among the lines, as of a corrupt infoROM
)

// parse reads the answer to query. Every line must be as asked for; [N/A] and the like stand for what the driver does
// not state.
func parse(out []byte) (m Machine, err error) {
	r := csv.NewReader(bytes.NewReader(warning.ReplaceAll(out, nil)))
	r.FieldsPerRecord, r.TrimLeadingSpace = strings.Count(query, ",")+1, true
	rows, err := r.ReadAll()
	if err != nil {
		return Machine{}, fmt.Errorf("it does not list GPUs as it should: %w: %s", err, brief(string(out)))
	}
	for i, row := range rows {
		d, err := parseRow(row)
		if err == nil && d.Index != i {
			err = fmt.Errorf("GPU %d follows GPU %d", d.Index, i-1)
		}
		if err != nil {
			return Machine{}, fmt.Errorf("line %d, %s: %w", i+1, brief(strings.Join(row, ", ")), err)
		}
		m.Devices, m.Driver = append(m.Devices, d), strings.TrimSpace(row[5])
	}
	return m, nil
}

func parseRow(row []string) (d Device, err error) {
	for i := range row {
		row[i] = strings.TrimSpace(row[i])
	}
	d.UUID, d.Name, d.divided = row[1], brief(row[2]), row[6] == "Enabled"
	if d.Index, err = strconv.Atoi(row[0]); err != nil || d.Index < 0 {
		return d, fmt.Errorf("index %q is no number", row[0])
	}
	if !gpuID.MatchString(d.UUID) || d.Name == "" || !version.MatchString(row[5]) {
		return d, errors.New("it lacks a GPU's UUID, its name, or the driver's version")
	}
	free, stated := int64(0), false
	if d.Total, _, err = mebibytes(row[3]); err != nil {
		return d, err
	}
	if free, stated, err = mebibytes(row[4]); err != nil {
		return d, err
	}
	if stated && d.Total > 0 {
		if d.Used = d.Total - free; d.Used < 0 {
			return d, fmt.Errorf("%s MiB of %s are free", row[4], row[3])
		}
	}
	return d, nil
}

// mebibytes reads an amount of memory, in bytes; ok is false where it is not stated.
func mebibytes(s string) (n int64, ok bool, err error) {
	if len(s) > 2 && s[0] == '[' && s[len(s)-1] == ']' || s == "N/A" {
		return 0, false, nil
	}
	n, err = strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>20 {
		return 0, false, fmt.Errorf("memory %q is no number of MiB", s)
	}
	return n << 20, true, nil
}

// brief is text of another program, fit for one line of an error: what cannot be printed is a space.
func brief(text string) string {
	const longest = 200
	s := []rune(strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return r == ' ' || r == '\uFFFD' || !strconv.IsPrint(r)
	}), " "))
	if len(s) > longest {
		return string(s[:longest]) + "…"
	}
	return string(s)
}

// choose returns the devices that CUDA_VISIBLE_DEVICES leaves, in its order, as the CUDA C++ Programming
// Guide (section "CUDA Environment Variables") says: a comma-separated sequence of indices or of UUIDs, of
// which the first digits do if one GPU alone has them; what follows an invalid one is not seen, so -1 first
// hides all, and an empty value does, too.
//
// why and fix are for a value that leaves none, and for one that no study is meant to run with: a device twice (CUDA
// then sees none), and an index where CUDA does not count as nvidia-smi does.
func choose(all []Device, value, order string) (out []Device, why, fix string) {
	for _, word := range strings.Split(value, ",") {
		word = strings.TrimSpace(word)
		i, err := strconv.Atoi(word)
		named := func(d Device) bool { return d.Index == i }
		if err != nil {
			named = func(d Device) bool {
				return strings.HasPrefix(word, "GPU-") && strings.HasPrefix(strings.ToLower(d.UUID), strings.ToLower(word))
			}
		}
		at := slices.IndexFunc(all, named)
		if at < 0 { // what follows is not seen
			break
		}
		switch d := all[at]; {
		case err == nil && order != "PCI_BUS_ID" && mixed(all):
			return nil, "names GPUs that differ, so CUDA counts the fastest first, and not as nvidia-smi does",
				"set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name GPUs by their UUIDs (nvidia-smi -L)"
		case slices.ContainsFunc(all[at+1:], named):
			return nil, "has the beginning of several UUIDs", "give more of it"
		case slices.Contains(out, d):
			return nil, "names a GPU twice, and CUDA then sees no GPU at all", "name it once"
		default:
			out = append(out, d)
		}
	}
	if len(out) == 0 {
		return nil, "hides " + count(len(all)), "unset CUDA_VISIBLE_DEVICES, or set it to the GPUs to use, such as 0"
	}
	return out, "", ""
}

func mixed(all []Device) bool {
	return slices.ContainsFunc(all, func(d Device) bool { return d.Name != all[0].Name })
}
