// Package gpu is what is known about the GPUs of this machine, before anything is started on them: which
// are visible and how much memory they have, how much memory a server of a model needs, whether it fits and
// how many fit, and how fast a GPU computes at most.
//
// It owns the reading of nvidia-smi, the rules of CUDA_VISIBLE_DEVICES, and the constants of the estimates,
// each with its source. It refuses to start a server, and to guess: memory that nvidia-smi does not state,
// a model whose size nothing states and a GPU that is not in the table are unknown.
//
// Its opinion: an estimate of memory is an interval. "Cannot" is said only where the weights and one request
// alone need more than there is, "fits" only where the larger estimate does.
package gpu

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// Device is a GPU, or a slice of one, that a process may use.
type Device struct {
	Index int    // as nvidia-smi counts: in the order of the bus; of a slice, that of its GPU
	UUID  string // "GPU-…", of a slice "MIG-…"
	Name  string // "NVIDIA H100 80GB HBM3"
	Slice string // profile of a MIG slice, "1g.10gb"; "" = a whole GPU
	Total int64  // memory in bytes; 0 = not stated
	Free  int64  // of it, not in use now; 0 = not stated or none
	known bool   // Free is stated

	divided bool // into MIG slices; only while the list is read
}

// FreeKnown reports whether nvidia-smi states the free memory.
func (d Device) FreeKnown() bool { return d.known }

// String is the device as people call it: "GPU 0 (NVIDIA L4, 22.5 GiB)".
func (d Device) String() string {
	what := d.Kind()
	if d.Total > 0 {
		what += ", " + GiB(d.Total)
	}
	return fmt.Sprintf("GPU %d (%s)", d.Index, what)
}

// Kind is the device's name, with the profile of a slice.
func (d Device) Kind() string {
	if d.Slice != "" {
		return d.Name + " MIG " + d.Slice
	}
	return d.Name
}

// Visible is how a process is given the device: the value of CUDA_VISIBLE_DEVICES, for which
// CUDA_DEVICE_ORDER must be PCI_BUS_ID.
func (d Device) Visible() string {
	if d.Slice != "" {
		return d.UUID
	}
	return fmt.Sprint(d.Index)
}

// Machine is what nvidia-smi says about this machine.
type Machine struct {
	Devices []Device // visible to processes, in the order in which CUDA counts them
	Hidden  int      // GPUs that CUDA_VISIBLE_DEVICES hides
	Driver  string   // version of the driver, "570.86.15"
	CUDA    string   // newest CUDA version that the driver runs, "12.8"; "" = not stated

	// Why says why no device is visible, and Fix what to do; "" where one is.
	Why, Fix string
}

// Look asks nvidia-smi, as found on the PATH. A machine without a visible GPU is no error: it says why. The
// error is for an nvidia-smi that does not answer, or says what cannot be understood; the GPUs are unknown
// then.
func Look(ctx context.Context) (Machine, error) {
	all, err := ask(ctx, patience)
	if err != nil || all.Why != "" {
		return all, err
	}
	visible, set := os.LookupEnv("CUDA_VISIBLE_DEVICES")
	if !set {
		return all, nil
	}
	m := all
	if m.Devices, err = choose(all.Devices, visible, os.Getenv("CUDA_DEVICE_ORDER")); err != nil {
		return Machine{Driver: all.Driver, CUDA: all.CUDA}, fmt.Errorf("CUDA_VISIBLE_DEVICES=%q: %w", visible, err)
	}
	m.Hidden = len(all.Devices) - len(m.Devices)
	if len(m.Devices) == 0 {
		m.Why = fmt.Sprintf("CUDA_VISIBLE_DEVICES=%q hides %s", visible, count(len(all.Devices)))
		m.Fix = "unset CUDA_VISIBLE_DEVICES, or set it to the GPUs to use, such as 0"
	}
	return m, nil
}

// count is a number of GPUs in words.
func count(n int) string {
	switch n {
	case 0:
		return "no GPU"
	case 1:
		return "1 GPU"
	}
	return fmt.Sprintf("%d GPUs", n)
}

// String says in a line what the machine has.
func (m Machine) String() string {
	if len(m.Devices) == 0 {
		return "no GPU: " + m.Why
	}
	var names []string
	for _, d := range m.Devices {
		names = append(names, d.String())
	}
	out := count(len(m.Devices)) + ": " + strings.Join(names, ", ")
	if m.Hidden > 0 {
		out += fmt.Sprintf("; CUDA_VISIBLE_DEVICES hides %d more", m.Hidden)
	}
	if m.Driver != "" {
		out += "; driver " + m.Driver
	}
	return out
}

// GiB writes bytes in GiB, the unit of nvidia-smi and of engines.
func GiB(bytes int64) string {
	g := float64(bytes) / (1 << 30)
	if g < 99.95 {
		return fmt.Sprintf("%.1f GiB", g)
	}
	return fmt.Sprintf("%.0f GiB", g)
}
