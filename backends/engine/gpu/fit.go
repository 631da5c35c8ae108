package gpu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Verdict says whether servers of a model fit on the machine's GPUs.
type Verdict int

// The verdicts, from the best to the worst.
const (
	Fits     Verdict = iota + 1 // by the larger estimate, too
	Doubtful                    // by the smaller estimate alone, or if the weights are stored in fewer bits
	Unknown                     // the model's size, or the GPU's, is not known
	Cannot                      // weights, be they stored in half the bits, and one request alone need more
)

// Fit is how servers of a model fit.
type Fit struct {
	Verdict Verdict
	Servers [][]Device // the GPUs of each server that may fit: as many as the visible GPUs hold
	Why     string     // what was compared, or what is not known
	Fix     string     // "" = nothing to do
}

// groups divides the visible devices into groups of so many GPUs, one per server: devices of one kind together. Devices
// of several kinds are one group where there is no other.
// why and fix are for a machine that has too few.
func (m Machine) groups(gpus int) (out [][]Device, why, fix string) {
	of := map[string][]Device{}
	var kinds []string
	for _, d := range m.Devices {
		kind := fmt.Sprint(d.Name, d.Total)
		if of[kind] = append(of[kind], d); len(of[kind]) == 1 {
			kinds = append(kinds, kind)
		}
		if n := len(of[kind]); n%gpus == 0 {
			out = append(out, of[kind][n-gpus:n])
		}
	}
	switch {
	case len(m.Devices) == 0:
		return nil, fmt.Sprintf("a server needs %s, and none is visible: %s", count(gpus), m.Why), m.Fix
	case len(m.Devices) < gpus && m.Hidden > 0:
		fix = "lower gpus, or let CUDA_VISIBLE_DEVICES name more"
	case len(m.Devices) < gpus:
		fix = "lower gpus"
	case len(out) == 0:
		var rest []Device
		for _, kind := range kinds {
			rest = append(rest, of[kind]...)
		}
		out = [][]Device{rest[:gpus]}
	}
	if fix != "" {
		why = fmt.Sprintf("a server needs %s, and this machine has %v", count(gpus), m)
	}
	return out, why, fix
}

// Judge says whether servers of a model fit, and on which GPUs.
func (m Machine) Judge(l Load) Fit {
	gpus := max(1, l.GPUs)
	groups, why, fix := m.groups(gpus)
	if len(groups) == 0 {
		return Fit{Verdict: Cannot, Why: why, Fix: fix}
	}
	if t := strings.ToLower(l.DType); t == "bfloat16" || t == "bf16" {
		lacks := groups[0][0]
		groups = slices.DeleteFunc(groups, func(g []Device) bool {
			i := slices.IndexFunc(g, Device.noBfloat16)
			if i >= 0 {
				lacks = g[i]
			}
			return i >= 0
		})
		if len(groups) == 0 {
			return Fit{Verdict: Cannot, Why: fmt.Sprintf("%v does not compute in bfloat16, which dtype asks for", lacks),
				Fix: "a GPU of Ampere or newer, or another dtype: float32 takes twice the memory, and float16 not every " +
					"model can take (Gemma 3 cannot)"}
		}
	}
	if l.Shape != nil && l.Shape.Heads%gpus != 0 {
		return Fit{Verdict: Cannot, Fix: fmt.Sprintf("set gpus to a divisor of %d", l.Shape.Heads),
			Why: fmt.Sprintf("%d attention heads cannot be shared by %d GPUs", l.Shape.Heads, gpus)}
	}
	need, err := Estimate(l)
	if err != nil {
		return Fit{Verdict: Unknown, Servers: groups, Why: err.Error()}
	}
	f := Fit{Verdict: Cannot}
	var roomiest Device
	for _, g := range groups {
		d := slices.MinFunc(g, func(a, b Device) int { return cmp.Compare(a.Total, b.Total) })
		if d.Total > roomiest.Total || roomiest.Name == "" {
			roomiest = d
		}
		if v := compare(need, l, d); v != Cannot {
			f.Servers = append(f.Servers, g)
			if f.Verdict == Cannot || v > f.Verdict { // that on the worst of those that may fit
				f.Verdict = v
			}
		}
	}
	f.Why, f.Fix = words(f.Verdict, l, need, roomiest)
	return f
}

// older are words in the names of GPUs before Ampere, which do not compute in bfloat16 (CUDA C++ Programming Guide,
// compute capabilities below 8.0).
var older = []string{"v100", "v100s", "t4", "t4g", "t40", "p100", "p40", "p4", "p6", "m60", "m40", "m10", "k80", "gtx",
	"titan", "quadro", "2060", "2070", "2080"}

// noBfloat16 reports whether a device is known to lack bfloat16.
func (d Device) noBfloat16() bool {
	words := strings.FieldsFunc(strings.ToLower(d.Name), func(r rune) bool { return strings.ContainsRune(" -_", r) })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(older, w) })
}

// compare judges one device. Where the cache is not known, nothing fits for certain; where no file says how weights
// are stored, they may be half as large.
func compare(n Need, l Load, d Device) Verdict {
	sure := n.Weights.Low
	if !n.Stored {
		sure /= 2
	}
	switch {
	case d.Total == 0:
		return Unknown
	case sure+n.Cache.Low > d.Total:
		return Cannot
	case n.Total().High <= room(l, d) && l.sized():
		return Fits
	}
	return Doubtful
}

// room is the memory that an engine may take of a device.
func room(l Load, d Device) int64 {
	share := l.Share
	if share <= 0 || share > 1 {
		share = defaultShare
	}
	return int64(share * float64(d.Total))
}

func words(v Verdict, l Load, n Need, d Device) (why, fix string) {
	more := fmt.Sprintf("more GPUs for a server (gpus = %d), a larger GPU, or weights of fewer bits", 2*max(1, l.GPUs))
	if n.Weights.Low < d.Total {
		more = "a shorter maximum length, " + more
	}
	need := fmt.Sprintf("a server needs %v", n)
	switch v {
	case Unknown:
		return fmt.Sprintf("%s; the memory of %v is not stated", need, d), ""
	case Cannot:
		return fmt.Sprintf("weights and one request alone need %s, and %v has less", GiB(n.Weights.Low+n.Cache.Low), d), more
	}
	why = fmt.Sprintf("%s; it may take %s of %v", need, GiB(room(l, d)), d)
	switch {
	case v == Fits:
		left := room(l, d) - n.Weights.High - n.Overhead.High
		if have := left / max(1, n.Cache.High); have < int64(l.Concurrency) {
			why += fmt.Sprintf("; of %d requests of full length at a time, %d have room, so long ones wait for others",
				l.Concurrency, have)
		}
		return why, ""
	case l.Shape == nil:
		return why + "; what keys and values take is not known without the model's shape",
			"shape = { … } in [[models]], with the numbers of the model's config.json"
	case !l.sized():
		return why + "; what keys and values take is not known without a maximum length",
			"state the maximum length of the engine; else it is the model's own, which may be 131,072 tokens or more"
	case n.Total().Low > room(l, d) && !n.Stored:
		return why + "; it fits only if its weights are stored in fewer bits than was taken here", more
	case n.Total().Low > room(l, d):
		return why + "; that is less than the least estimate", more
	}
	return why, "try it; if the engine runs out of memory: " + more
}
