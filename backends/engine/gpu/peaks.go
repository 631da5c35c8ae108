package gpu

import (
	"slices"
	"strings"
)

// Peak is what a GPU does at most.
type Peak struct {
	Name      string  // part of the name that nvidia-smi prints
	TFLOPS    float64 // dense matrix products in 16 bits (bfloat16, before Ampere float16), 10¹² a second
	Bandwidth float64 // of its memory, GB a second
}

// peaks are the GPUs whose speed is known, from NVIDIA's data sheets. Where a sheet states figures "with
// sparsity", half of them is taken. A longer name comes before its beginning.
var peaks = []Peak{
	{Name: "B200", TFLOPS: 2250, Bandwidth: 8000},          // HGX B200: 36 PFLOPS of eight, with sparsity
	{Name: "GH200", TFLOPS: 989.4, Bandwidth: 4000},        // GH200 Grace Hopper, of HBM3
	{Name: "H200 NVL", TFLOPS: 835.5, Bandwidth: 4800},     // H200 data sheet
	{Name: "H200", TFLOPS: 989.4, Bandwidth: 4800},         // H200 data sheet, SXM
	{Name: "H100 NVL", TFLOPS: 835.5, Bandwidth: 3900},     // H100 data sheet
	{Name: "H100 PCIe", TFLOPS: 756.4, Bandwidth: 2000},    // H100 Tensor Core GPU Architecture, PCIe
	{Name: "H100", TFLOPS: 989.4, Bandwidth: 3350},         // the same, SXM5
	{Name: "A100-SXM4-80GB", TFLOPS: 312, Bandwidth: 2039}, // A100 data sheet
	{Name: "A100 80GB PCIe", TFLOPS: 312, Bandwidth: 1935}, // A100 data sheet
	{Name: "A100", TFLOPS: 312, Bandwidth: 1555},           // A100 data sheet, 40 GB
	{Name: "L40S", TFLOPS: 362, Bandwidth: 864},            // L40S data sheet
	{Name: "L40", TFLOPS: 181, Bandwidth: 864},             // L40 data sheet
	{Name: "L4", TFLOPS: 121, Bandwidth: 300},              // L4 data sheet: 242 with sparsity
	{Name: "A40", TFLOPS: 149.7, Bandwidth: 696},           // A40 data sheet
	{Name: "A30", TFLOPS: 165, Bandwidth: 933},             // A30 data sheet
	{Name: "A10G", TFLOPS: 70, Bandwidth: 600},             // A10G data sheet
	{Name: "A10", TFLOPS: 125, Bandwidth: 600},             // A10 data sheet
	{Name: "RTX 6000 Ada", TFLOPS: 364.2, Bandwidth: 960},  // NVIDIA Ada GPU Architecture, appendix
	{Name: "RTX A6000", TFLOPS: 154.8, Bandwidth: 768},     // NVIDIA Ampere GA102 GPU Architecture
	{Name: "RTX 5090", TFLOPS: 209.5, Bandwidth: 1792},     // NVIDIA RTX Blackwell GPU Architecture, FP32 sums
	{Name: "RTX 4090", TFLOPS: 165.2, Bandwidth: 1008},     // NVIDIA Ada GPU Architecture, FP32 sums
	{Name: "RTX 3090", TFLOPS: 71, Bandwidth: 936},         // NVIDIA Ampere GA102 GPU Architecture, FP32 sums
	{Name: "V100", TFLOPS: 112, Bandwidth: 900},            // V100 data sheet, PCIe; SXM2 has 125
	{Name: "Tesla T4", TFLOPS: 65, Bandwidth: 300},         // T4 data sheet
}

// PeakOf returns what a GPU does at most, by the name that nvidia-smi prints, or a part of it that names one
// kind; false where it is not known.
func PeakOf(name string) (Peak, bool) {
	have := wordsOf(name)
	if slices.ContainsFunc(have, func(w string) bool { return slices.Contains(reduced, w) }) {
		return Peak{}, false
	}
	for _, p := range peaks {
		if contains(have, wordsOf(p.Name)) {
			return p, true
		}
	}
	return Peak{}, false
}

// reduced are words that a slower GPU has behind the name of another.
var reduced = []string{"laptop", "mobile", "max", "d"}

// older are words in the names of GPUs before Ampere, which do not compute in bfloat16 (CUDA C++ Programming Guide,
// compute capabilities below 8.0).
var older = []string{"v100", "v100s", "t4", "t4g", "t40", "p100", "p40", "p4", "p6", "m60", "m40", "m10", "k80", "gtx",
	"titan", "quadro", "2060", "2070", "2080"}

// noBfloat16 reports whether a device is known to lack bfloat16.
func (d Device) noBfloat16() bool {
	return slices.ContainsFunc(wordsOf(d.Name), func(w string) bool { return slices.Contains(older, w) })
}

// Names lists the GPUs whose speed is known.
func Names() []string {
	var out []string
	for _, p := range peaks {
		out = append(out, p.Name)
	}
	return out
}

// wordsOf splits a name: "NVIDIA A100-SXM4-80GB" into nvidia, a100, sxm4, 80gb.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
}

// contains reports whether all words of a part are in a name.
func contains(name, part []string) bool {
	return !slices.ContainsFunc(part, func(w string) bool { return !slices.Contains(name, w) })
}

// peak is what a device does at most: a slice has its share of a GPU.
func (d Device) peak() (Peak, bool) {
	p, ok := PeakOf(d.Name)
	if !ok || d.Slice == "" {
		return p, ok
	}
	sevenths, _ := sliced(d.Slice)
	if sevenths == 0 {
		return Peak{}, false
	}
	share := float64(sevenths) / mostSevenths
	p.TFLOPS, p.Bandwidth = p.TFLOPS*share, p.Bandwidth*share
	return p, true
}
