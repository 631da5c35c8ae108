package gpu

import (
	"slices"
	"strconv"
	"strings"
)

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
