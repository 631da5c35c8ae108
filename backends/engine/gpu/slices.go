package gpu

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The lines of nvidia-smi -L:
//
//	GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)
//	  MIG 1g.10gb     Device  0: (UUID: MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f)
var (
	gpuLine   = regexp.MustCompile(`^GPU ([0-9]+): .* \(UUID: (GPU-[0-9A-Fa-f-]+)\)$`)
	sliceLine = regexp.MustCompile(`^\s+MIG ([0-9A-Za-z.+]+)\s+Device\s+([0-9]+): \(UUID: (MIG-[0-9A-Za-z/-]+)\)$`)
	profile   = regexp.MustCompile(`^(?:[0-9]+c\.)?([0-9]+)g\.([0-9]+)gb(?:\+[a-z.]+)*$`)
)

// mostSevenths is the number of slices of computing into which MIG divides a GPU.
const mostSevenths = 7

// withSlices replaces each GPU that is divided by its slices. A process cannot use such a GPU as a whole.
// The memory of a slice is the one of its profile's name: nvidia-smi does not list it otherwise.
func withSlices(gpus []Device, list []byte) ([]Device, error) {
	of := map[string][]Device{} // by UUID of the GPU
	var on *Device
	for i, line := range strings.Split(strings.TrimRight(string(list), "\n"), "\n") {
		line = strings.TrimRight(line, " \r")
		if warning.MatchString(line) {
			continue
		}
		if m := gpuLine.FindStringSubmatch(line); m != nil {
			j := slices.IndexFunc(gpus, func(d Device) bool { return d.UUID == m[2] })
			if j < 0 {
				return nil, fmt.Errorf("nvidia-smi -L, line %d: no GPU has the UUID %s", i+1, m[2])
			}
			on = &gpus[j]
			continue
		}
		m := sliceLine.FindStringSubmatch(line)
		if m == nil || on == nil || !on.divided || !sliceID.MatchString(m[3]) {
			return nil, fmt.Errorf("nvidia-smi -L, line %d: neither a GPU nor a slice of one: %s", i+1, brief([]byte(line)))
		}
		d := *on
		d.UUID, d.Slice, d.Free, d.known = m[3], m[1], 0, false
		if _, d.Total = sliced(m[1]); d.Total > on.Total && on.Total > 0 {
			d.Total = on.Total
		}
		of[on.UUID] = append(of[on.UUID], d)
	}
	var out []Device
	for _, d := range gpus {
		if d.divided {
			out = append(out, of[d.UUID]...)
		} else {
			out = append(out, d)
		}
	}
	return out, nil
}

// sliced reads a profile: of the GPU's seven parts of computing, how many, and its memory in bytes (zeros:
// unknown). The name rounds the memory up: 1g.10gb has 9.5 GiB (NVIDIA, MIG User Guide, supported profiles),
// so a twentieth is taken off.
func sliced(name string) (sevenths int, memory int64) {
	m := profile.FindStringSubmatch(name)
	if m == nil {
		return 0, 0
	}
	sevenths, err := strconv.Atoi(m[1])
	if err != nil || sevenths < 1 || sevenths > mostSevenths {
		return 0, 0
	}
	gb, err := strconv.ParseInt(m[2], 10, 16)
	if err != nil {
		return 0, 0
	}
	return sevenths, (gb << 30) / 20 * 19
}
