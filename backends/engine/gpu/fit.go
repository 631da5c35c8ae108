package gpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Verdict says whether servers of a model fit on the machine's GPUs.
type Verdict int

// The verdicts.
const (
	Unknown  Verdict = iota // the model's size, or the GPU's, is not known
	Fits                    // by the larger estimate, too
	Doubtful                // by the smaller estimate alone, or if the weights are stored in fewer bits
	Cannot                  // weights, be they stored in half the bits, and one request alone need more
)

// String is the verdict in a word.
func (v Verdict) String() string {
	return [...]string{"unknown", "fits", "doubtful", "cannot fit"}[v]
}

// Fit is how servers of a model fit.
type Fit struct {
	Verdict Verdict
	Servers [][]Device // the GPUs of each server that may fit: as many as the visible GPUs hold
	Need    Need       // zero where unknown
	Why     string     // what was compared, or what is not known
	Fix     string     // "" = nothing to do
}

// TooFewError says that a server wants more GPUs than are visible.
type TooFewError struct {
	Want    int
	Machine Machine
}

func (e *TooFewError) Error() string {
	if len(e.Machine.Devices) == 0 {
		return fmt.Sprintf("a server needs %s, and none is visible: %s: %s", count(e.Want), e.Machine.Why, e.Machine.Fix)
	}
	s := fmt.Sprintf("a server needs %s, and this machine has %v", count(e.Want), e.Machine)
	if e.Machine.Hidden > 0 {
		return s + ": lower gpus, or let CUDA_VISIBLE_DEVICES name more"
	}
	return s + ": lower gpus"
}

// Groups divides the visible devices into groups of so many GPUs, one per server: devices of one kind
// together, a slice always alone. The error is a TooFewError where not even one group is there.
func (m Machine) Groups(gpus int) ([][]Device, error) {
	gpus = max(1, gpus)
	var out [][]Device
	var kinds []string
	open := map[string][]Device{} // groups that are not full
	for _, d := range m.Devices {
		if d.Slice != "" && gpus > 1 {
			continue // no server spans slices
		}
		kind := fmt.Sprint(d.Name, d.Slice, d.Total)
		if _, ok := open[kind]; !ok {
			kinds = append(kinds, kind)
		}
		open[kind] = append(open[kind], d)
		if len(open[kind]) == gpus {
			out, open[kind] = append(out, open[kind]), nil
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	if len(m.Devices) < gpus {
		return nil, &TooFewError{gpus, m}
	}
	var rest []Device // of several kinds: better than nothing
	for _, kind := range kinds {
		rest = append(rest, open[kind]...)
	}
	if len(rest) < gpus {
		return nil, &TooFewError{gpus, m}
	}
	return [][]Device{rest[:gpus]}, nil
}

// Judge says whether servers of a model fit, and on which GPUs. The error is a TooFewError.
func (m Machine) Judge(l Load) (Fit, error) {
	groups, err := m.Groups(l.GPUs)
	if err != nil {
		return Fit{}, err
	}
	groups, d := computing(groups, l)
	if len(groups) == 0 {
		return Fit{Verdict: Cannot, Why: fmt.Sprintf("%v does not compute in bfloat16, which dtype asks for", d),
			Fix: "a GPU of Ampere or newer, or another dtype: float32 takes twice the memory, and float16 not every " +
				"model can take (Gemma 3 cannot)"}, nil
	}
	need, err := Estimate(l)
	if shared := new(sharedError); errors.As(err, &shared) {
		return Fit{Verdict: Cannot, Why: err.Error(), Fix: fmt.Sprintf("set gpus to a divisor of %d", shared.heads)}, nil
	}
	if err != nil {
		return Fit{Servers: groups, Why: err.Error()}, nil
	}
	f := Fit{Verdict: Cannot, Need: need}
	for _, g := range groups {
		v := compare(need, l, smallest(g))
		if v == Cannot {
			continue
		}
		f.Servers = append(f.Servers, g)
		f.Verdict = worse(f.Verdict, v)
	}
	roomiest := groups[0]
	for _, g := range groups {
		if smallest(g).Total > smallest(roomiest).Total {
			roomiest = g
		}
	}
	f.Why, f.Fix = words(f.Verdict, l, need, smallest(roomiest))
	return f, nil
}

// computing returns the groups that compute in the type that a server is told to use, and a device that does not.
func computing(groups [][]Device, l Load) (out [][]Device, lacks Device) {
	if t := strings.ToLower(l.DType); t != "bfloat16" && t != "bf16" {
		return groups, Device{}
	}
	for _, g := range groups {
		if i := slices.IndexFunc(g, Device.noBfloat16); i >= 0 {
			lacks = g[i]
			continue
		}
		out = append(out, g)
	}
	return out, lacks
}

// worse is the verdict on several servers: that on the worst of those that may fit.
func worse(a, b Verdict) Verdict {
	if a == Cannot {
		return b
	}
	if a == Unknown || b == Unknown {
		return Unknown
	}
	return max(a, b)
}

// smallest is the device of a group with the least memory; one whose memory is not stated counts as least.
func smallest(g []Device) Device {
	least := g[0]
	for _, d := range g[1:] {
		if d.Total < least.Total {
			least = d
		}
	}
	return least
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
		share = DefaultShare
	}
	return int64(share * float64(d.Total))
}

// words say what was compared, and what to do.
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
		return why + requests(l, n, d), ""
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

// requests says for how many requests of full length there is room, where there is less than for all.
func requests(l Load, n Need, d Device) string {
	left := room(l, d) - n.Weights.High - n.Overhead.High
	if fit := left / max(1, n.Cache.High); fit < int64(l.Concurrency) {
		return fmt.Sprintf("; of %d requests of full length at a time, %d have room, so long ones wait for others",
			l.Concurrency, fit)
	}
	return ""
}
