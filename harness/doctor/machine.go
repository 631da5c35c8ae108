package doctor

import (
	"errors"
	"fmt"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/backends/engine/gpu"
	"infnet/harness/dataset/hub"
)

// GPUs reports which GPUs there are, and their driver. wanted is whether a server of the study needs one.
func GPUs(m gpu.Machine, wanted bool) []backends.Finding {
	switch {
	case len(m.Devices) == 0 && wanted:
		return []backends.Finding{backends.Broken.On("GPU", m.String(), m.Fix)}
	case len(m.Devices) == 0:
		return []backends.Finding{backends.Fine.On("GPU", m.String(), "")}
	}
	out := []backends.Finding{backends.Fine.On("GPU", m.String(), "")}
	for _, d := range m.Devices {
		if d.Used > d.Total/20 {
			out = append(out, backends.Doubt.On("GPU in use",
				fmt.Sprintf("%v: %s are in use by other programs", d, gpu.GiB(d.Used)),
				"nvidia-smi names them; an engine refuses to start where its share of the memory is not free"))
		}
	}
	if m.Driver == "" {
		return out
	}
	return append(out, driver(m.Driver))
}

// The drivers that run programs built for CUDA 12 and 13 (NVIDIA, CUDA Compatibility, minor version
// compatibility).
const (
	driverOfCUDA12 = "525"
	driverOfCUDA13 = "580"
)

func driver(version string) backends.Finding {
	fix := "install driver " + driverOfCUDA13 + " or newer"
	switch {
	case engine.Older(version, driverOfCUDA12):
		return backends.Broken.On("driver", version+" runs nothing that was built for CUDA 12 or 13, as engines of today are",
			fix)
	case engine.Older(version, driverOfCUDA13):
		return backends.Doubt.On("driver", version+" runs programs built for CUDA 12, and none for CUDA 13, which vLLM 0.32 "+
			"from PyPI is built for", fix+", or an engine built for CUDA 12")
	}
	return backends.Fine.On("driver", version+": runs engines built for CUDA 12 and 13", "")
}

// Engine reports on the program of an engine. path is where it is; "" = not on the PATH.
func Engine(l *backends.Launch, path, version, old string, err error) backends.Finding {
	program, install := engine.Program(l)
	found := fmt.Sprintf("%s %s", path, version)
	switch {
	case path == "":
		return backends.Broken.On("engine", program+" is not on the PATH", install)
	case err != nil:
		return backends.Doubt.On("engine", fmt.Sprintf("%s does not say its version: %v", program, err),
			"run it by hand; "+install)
	case old != "":
		return backends.Broken.On("engine", fmt.Sprintf("%s %s is too old: %s", program, version, old), install)
	case version == "":
		found = path + ", version not asked"
	}
	if lacks := engine.Lacks(l); lacks != "" {
		found += "; " + lacks
	}
	return backends.Fine.On("engine", found, "")
}

// Memory reports whether a model's servers fit on the GPUs, or what one needs where none is seen.
func Memory(m gpu.Machine, l gpu.Load) backends.Finding {
	if len(m.Devices) == 0 {
		need, err := gpu.Estimate(l)
		if err != nil {
			return backends.Unknown.On("GPU memory", err.Error(), "")
		}
		return backends.Unknown.On("GPU memory", "no GPU is seen; a server needs "+need.String(), "")
	}
	fit := m.Judge(l)
	if n := len(fit.Servers); n > 1 {
		fit.Why += fmt.Sprintf("; %d servers", n)
	}
	return map[gpu.Verdict]backends.Verdict{gpu.Fits: backends.Fine, gpu.Doubtful: backends.Doubt,
		gpu.Cannot: backends.Broken, gpu.Unknown: backends.Unknown}[fit.Verdict].On("GPU memory", fit.Why, fit.Fix)
}

// Weights is what is known about where a model's weights are.
type Weights struct {
	Name, Revision string // on the hub; a revision of "" is the engine's default

	Folder string    // on this machine; "" = they are on the hub
	Held   hub.Held  // in the hub's cache
	Size   int64     // bytes of all of them, as the hub says; 0 = unknown
	About  gpu.Range // estimate of the size; zero = unknown
	Err    error     // why the hub did not say: a GatedError, or no network
	Asked  bool      // the hub was asked, and gives them to this machine
	Token  bool      // there is a token
	Gated  bool      // the repository was gated when this program was written
}

// ToDownload is how many bytes are to be downloaded; zero where nothing is known, or nothing is.
func (w Weights) ToDownload() gpu.Range {
	if w.Folder != "" || w.Held.Lacks == "" {
		return gpu.Range{}
	}
	if w.Size > 0 {
		n := max(0, w.Size-w.Held.Weights)
		return gpu.Range{Low: n, High: n}
	}
	return gpu.Range{Low: max(0, w.About.Low-w.Held.Weights), High: max(0, w.About.High-w.Held.Weights)}
}

// Findings report whether the weights are on this machine, else how many bytes are to be downloaded, and whether
// this machine may.
func (w Weights) Findings() []backends.Finding {
	name, revision := w.Name, ""
	if w.Revision != "" {
		if name += "@" + w.Revision; len(w.Revision) == 40 { // a commit
			name = name[:len(name)-28]
		}
		revision = " --revision " + w.Revision
	}
	switch {
	case w.Folder != "":
		return []backends.Finding{backends.Fine.On("weights", w.Folder, "")}
	case w.Held.Lacks == "":
		return []backends.Finding{
			backends.Fine.On("weights", fmt.Sprintf("%s: in the hub's cache, %s", name, GB(w.Held.Weights)), "")}
	}
	more := ", to download; how much is not known"
	if need := w.ToDownload(); need.High > 0 {
		more = ", " + about(need) + " to download"
	}
	return []backends.Finding{backends.Unknown.On("weights", name+": "+w.Held.Lacks+more,
		"the engine fetches them when it starts; hf download "+w.Name+revision+" does it beforehand"), w.licence()}
}

func (w Weights) licence() backends.Finding {
	var gated *hub.GatedError
	switch {
	case errors.As(w.Err, &gated):
		return backends.Broken.On("licence", "the hub does not give the weights to this machine", gated.Fix())
	case w.Asked:
		return backends.Fine.On("licence", "the hub gives them to this machine", "")
	}
	found, fix := "cannot be known without the hub", ""
	if w.Err != nil {
		found += ": " + w.Err.Error()
	}
	if w.Gated && !w.Token {
		found += "; when this program was written, a licence had to be accepted, and HF_TOKEN is not set"
		fix = "accept it on https://huggingface.co/" + w.Name + ", and set HF_TOKEN to a token of that account"
	}
	return backends.Unknown.On("licence", found, fix)
}

// Disk reports whether what is to be downloaded fits on the disk of the hub's cache.
func Disk(need gpu.Range, unknown int, free int64, known bool, folder string) backends.Finding {
	if need.High == 0 && unknown == 0 {
		return backends.Fine.On("disk", "nothing to download for the servers", "")
	}
	found := about(need) + " to download into " + folder
	if unknown > 0 {
		found += fmt.Sprintf(", and %d more of unknown size", unknown)
	}
	if !known {
		return backends.Unknown.On("disk", found+"; how much is free is not known", "")
	}
	found += "; " + GB(free) + " are free"
	const fix = "free some, or set HF_HOME to a folder on a larger disk"
	switch {
	case need.Low > free:
		return backends.Broken.On("disk", found, fix)
	case need.High > free:
		return backends.Doubt.On("disk", found, fix)
	}
	return backends.Fine.On("disk", found, "")
}

func about(r gpu.Range) string {
	if r.Low == r.High {
		return GB(r.High)
	}
	return fmt.Sprintf("%.1f to %s", float64(r.Low)/1e9, GB(r.High))
}

// GB writes bytes in GB of 10⁹ bytes, the unit of downloads and disks.
func GB(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }
