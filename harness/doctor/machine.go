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
	f := backends.Finding{Question: "GPU", Found: m.String()}
	if len(m.Devices) == 0 {
		if wanted {
			f.Verdict, f.Fix = backends.Broken, m.Fix
		}
		return []backends.Finding{f}
	}
	out := []backends.Finding{f}
	for _, d := range m.Devices {
		if d.Used > d.Total/20 {
			out = append(out, backends.Finding{Verdict: backends.Doubt, Question: "GPU in use",
				Found: fmt.Sprintf("%v: %s are in use by other programs", d, gpu.GiB(d.Used)),
				Fix:   "nvidia-smi names them; an engine refuses to start where its share of the memory is not free"})
		}
	}
	return append(out, driver(m.Driver)...)
}

// The drivers that run programs built for CUDA 12 and 13 (NVIDIA, CUDA Compatibility, minor version
// compatibility).
const (
	driverOfCUDA12 = "525"
	driverOfCUDA13 = "580"
)

// driver reports on the version of the driver.
func driver(version string) []backends.Finding {
	f := backends.Finding{Question: "driver"}
	switch {
	case version == "":
		return nil
	case engine.Older(version, driverOfCUDA12):
		f.Verdict, f.Found = backends.Broken,
			version+" runs nothing that was built for CUDA 12 or 13, as engines of today are"
		f.Fix = "install driver " + driverOfCUDA13 + " or newer"
	case engine.Older(version, driverOfCUDA13):
		f.Verdict, f.Found = backends.Doubt,
			version+" runs programs built for CUDA 12, and none for CUDA 13, which vLLM 0.32 "+
				"from PyPI is built for"
		f.Fix = "install driver " + driverOfCUDA13 + " or newer, or an engine built for CUDA 12"
	default:
		f.Found = version + ": runs engines built for CUDA 12 and 13"
	}
	return []backends.Finding{f}
}

// Engine reports on the program of an engine. path is where it is; "" = not on the PATH.
func Engine(l *backends.Launch, path, version, old string, err error) backends.Finding {
	program, install := engine.Program(l)
	f := backends.Finding{Question: "engine"}
	switch {
	case path == "":
		f.Verdict, f.Found, f.Fix = backends.Broken, program+" is not on the PATH", install
	case err != nil:
		f.Verdict, f.Found = backends.Doubt, fmt.Sprintf("%s does not say its version: %v", program, err)
		f.Fix = "run it by hand; " + install
	case old != "":
		f.Verdict, f.Found, f.Fix = backends.Broken, fmt.Sprintf("%s %s is too old: %s", program, version, old), install
	case version == "":
		f.Found = path + ", version not asked"
	default:
		f.Found = fmt.Sprintf("%s %s", path, version)
	}
	if lacks := engine.Lacks(l); lacks != "" && f.Verdict == backends.Fine {
		f.Found += "; " + lacks
	}
	return f
}

// Memory reports whether a model's servers fit on the GPUs, or what one needs where none is seen.
func Memory(m gpu.Machine, l gpu.Load) backends.Finding {
	f := backends.Finding{Verdict: backends.Unknown, Question: "GPU memory"}
	if len(m.Devices) == 0 {
		need, err := gpu.Estimate(l)
		if f.Found = "no GPU is seen; a server needs " + need.String(); err != nil {
			f.Found = err.Error()
		}
		return f
	}
	fit := m.Judge(l)
	f.Found, f.Fix = fit.Why, fit.Fix
	switch fit.Verdict {
	case gpu.Fits:
		f.Verdict = backends.Fine
	case gpu.Doubtful:
		f.Verdict = backends.Doubt
	case gpu.Cannot:
		f.Verdict = backends.Broken
	}
	if n := len(fit.Servers); n > 1 {
		f.Found += fmt.Sprintf("; %d servers", n)
	}
	return f
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

// short names the weights with the beginning of their commit.
func (w Weights) short() string {
	switch len(w.Revision) {
	case 0:
		return w.Name
	case 40:
		return w.Name + "@" + w.Revision[:12]
	}
	return w.Name + "@" + w.Revision
}

// Findings report whether the weights are on this machine, else how many bytes are to be downloaded, and whether
// this machine may.
func (w Weights) Findings() []backends.Finding {
	f := backends.Finding{Question: "weights"}
	switch {
	case w.Folder != "":
		f.Found = w.Folder
		return []backends.Finding{f}
	case w.Held.Lacks == "":
		f.Found = fmt.Sprintf("%s: in the hub's cache, %s", w.short(), GB(w.Held.Weights))
		return []backends.Finding{f}
	}
	f.Verdict, f.Found = backends.Unknown, w.short()+": "+w.Held.Lacks
	if need := w.ToDownload(); need.High > 0 {
		f.Found += ", " + about(need) + " to download"
	} else {
		f.Found += ", to download; how much is not known"
	}
	revision := ""
	if w.Revision != "" {
		revision = " --revision " + w.Revision
	}
	f.Fix = "the engine fetches them when it starts; hf download " + w.Name + revision + " does it beforehand"
	return []backends.Finding{f, w.licence()}
}

// licence reports whether the hub gives the weights to this machine.
func (w Weights) licence() backends.Finding {
	f := backends.Finding{Question: "licence"}
	var gated *hub.GatedError
	switch {
	case errors.As(w.Err, &gated):
		f.Verdict, f.Found = backends.Broken, "the hub does not give the weights to this machine"
		f.Fix = gated.Fix()
	case w.Asked:
		f.Found = "the hub gives them to this machine"
	default:
		f.Verdict, f.Found = backends.Unknown, "cannot be known without the hub"
		if w.Err != nil {
			f.Found += ": " + w.Err.Error()
		}
		if w.Gated && !w.Token {
			f.Found += "; when this program was written, a licence had to be accepted, and HF_TOKEN is not set"
			f.Fix = "accept it on https://huggingface.co/" + w.Name + ", and set HF_TOKEN to a token of that account"
		}
	}
	return f
}

// Disk reports whether what is to be downloaded fits on the disk of the hub's cache.
func Disk(need gpu.Range, unknown int, free int64, known bool, folder string) backends.Finding {
	f := backends.Finding{Question: "disk"}
	more := ""
	if unknown > 0 {
		more = fmt.Sprintf(", and %d more of unknown size", unknown)
	}
	switch {
	case need.High == 0 && unknown == 0:
		f.Found = "nothing to download for the servers"
		return f
	case !known:
		f.Verdict, f.Found = backends.Unknown, fmt.Sprintf("%s to download into %s%s; how much is free is not known",
			about(need), folder, more)
		return f
	}
	f.Found = fmt.Sprintf("%s to download into %s%s; %s are free", about(need), folder, more, GB(free))
	f.Fix = "free some, or set HF_HOME to a folder on a larger disk"
	switch {
	case need.Low > free:
		f.Verdict = backends.Broken
	case need.High > free:
		f.Verdict = backends.Doubt
	default:
		f.Fix = ""
	}
	return f
}

// about writes an estimate.
func about(r gpu.Range) string {
	if r.Low == r.High {
		return GB(r.High)
	}
	return fmt.Sprintf("%.1f to %s", float64(r.Low)/1e9, GB(r.High))
}

// GB writes bytes in GB of 10⁹ bytes, the unit of downloads and disks.
func GB(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }
