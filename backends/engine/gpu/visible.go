package gpu

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// choose returns the devices that CUDA_VISIBLE_DEVICES leaves, in its order, as the CUDA C++ Programming
// Guide (section "CUDA Environment Variables") says: a comma-separated sequence of indices or of UUIDs, of
// which the first digits do if one GPU alone has them; what follows an invalid one is not seen, so -1 first
// hides all, and an empty value does, too. Only the first slice of a GPU that is divided is seen; others are
// named by their UUIDs, one at a time.
//
// The error is for a value that is understood, and that no study is meant to run with: a device twice (CUDA
// then sees none), several slices, and an index where CUDA does not count as nvidia-smi does.
func choose(all []Device, value, order string) ([]Device, error) {
	var out []Device
	for _, word := range strings.Split(value, ",") {
		word = strings.TrimSpace(word)
		d, err := find(all, word, order)
		if err != nil {
			return nil, err
		}
		if d == nil { // what follows is not seen
			break
		}
		if slices.ContainsFunc(out, func(o Device) bool { return o.UUID == d.UUID }) {
			return nil, fmt.Errorf("it names %v twice, and CUDA then sees no GPU at all: name it once", *d)
		}
		out = append(out, *d)
	}
	if len(out) > 1 && slices.ContainsFunc(out, func(d Device) bool { return d.Slice != "" }) {
		return nil, errors.New("it names several devices, one of them a MIG slice: CUDA uses one slice and nothing else; " +
			"name that one")
	}
	return out, nil
}

// find returns the device that a word names; nil if it names none.
func find(all []Device, word, order string) (*Device, error) {
	if i, err := strconv.Atoi(word); err == nil {
		if i < 0 {
			return nil, nil
		}
		j := slices.IndexFunc(all, func(d Device) bool { return d.Index == i })
		if j < 0 {
			return nil, nil
		}
		if order != "PCI_BUS_ID" && mixed(all) {
			return nil, errors.New("the GPUs differ, so CUDA counts the fastest first, and not as nvidia-smi does: set " +
				"CUDA_DEVICE_ORDER=PCI_BUS_ID, or name GPUs by their UUIDs (nvidia-smi -L)")
		}
		return &all[j], nil
	}
	var found *Device
	if !strings.HasPrefix(word, "GPU-") && !strings.HasPrefix(word, "MIG-") {
		return nil, nil
	}
	for i := range all {
		if !strings.HasPrefix(strings.ToLower(all[i].UUID), strings.ToLower(word)) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%q is the beginning of several UUIDs: give more of it", word)
		}
		found = &all[i]
	}
	return found, nil
}

// mixed reports whether the GPUs are of several kinds.
func mixed(all []Device) bool {
	return slices.ContainsFunc(all, func(d Device) bool { return d.Name != all[0].Name })
}
