// Package gpu is what is known about the GPUs of this machine, before anything is started on them: which are visible
// and how much memory they have, how much memory a server of a model needs, and which GPUs each of its servers gets.
//
// It owns the reading of nvidia-smi, the rules of CUDA_VISIBLE_DEVICES, and the constants of the estimate of memory,
// each with its source. It refuses to start a server, to divide a GPU, and to guess: memory that nvidia-smi does not
// state and a model whose size nothing states are unknown.
//
// Its opinion: an estimate of memory is an interval. "Cannot" is said only where the weights and one request
// alone need more than there is, "fits" only where the larger estimate does.
package gpu

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Device is a GPU that a process may use.
type Device struct {
	Index int    // as nvidia-smi counts, in the order of the bus: with CUDA_DEVICE_ORDER=PCI_BUS_ID, CUDA counts so too
	UUID  string // "GPU-…"
	Name  string // "NVIDIA H100 80GB HBM3"
	Total int64  // memory in bytes; 0 = not stated
	Used  int64  // of it, by other programs now; 0 = none, or not stated

	divided bool // into MIG slices, which no server is started on
}

// String is the device as people call it: "GPU 0 (NVIDIA L4, 22.5 GiB)".
func (d Device) String() string {
	if d.Total == 0 {
		return fmt.Sprintf("GPU %d (%s)", d.Index, d.Name)
	}
	return fmt.Sprintf("GPU %d (%s, %s)", d.Index, d.Name, GiB(d.Total))
}

// Machine is what nvidia-smi says about this machine.
type Machine struct {
	Devices []Device // visible to processes, in the order in which CUDA counts them
	Hidden  int      // GPUs that CUDA_VISIBLE_DEVICES hides
	Driver  string   // version of the driver, "570.86.15"; "" = not known

	// Why says why no device is visible, or why none can be known of, and Fix what to do; "" where one is.
	Why, Fix string
}

// Look asks nvidia-smi, as found on the PATH.
func Look(ctx context.Context) Machine {
	m := ask(ctx, patience)
	if visible, set := os.LookupEnv("CUDA_VISIBLE_DEVICES"); set && m.Why == "" {
		all := m.Devices
		m.Devices, m.Why, m.Fix = choose(all, visible, os.Getenv("CUDA_DEVICE_ORDER"))
		m.Hidden = len(all) - len(m.Devices)
		if m.Why != "" {
			m.Why = fmt.Sprintf("CUDA_VISIBLE_DEVICES=%q %s", visible, m.Why)
		}
	}
	if i := slices.IndexFunc(m.Devices, func(d Device) bool { return d.divided }); i >= 0 {
		m.Why = fmt.Sprintf("%v is divided by MIG, and a server gets whole GPUs", m.Devices[i])
		m.Fix = "name other GPUs in CUDA_VISIBLE_DEVICES, end the division (nvidia-smi -mig 0), or start the servers " +
			"yourself and state their urls"
		m.Devices = nil
	}
	return m
}

func count(n int) string {
	if n == 1 {
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
