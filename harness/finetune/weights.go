package finetune

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"

	"infnet/backends/encoder"
)

// weights are the numbers of an encoder and its head, in the order of
// arch.slots.
type weights [][]float32

// readWeights reads the encoder of a folder. What the head lacks is nil.
func readWeights(folder *encoder.Folder, a arch) (weights, error) {
	var w weights
	var missing []string
	for _, s := range a.slots() {
		if !folder.Has(s.name) {
			if !s.head {
				missing = append(missing, s.name)
			}
			w = append(w, nil)
			continue
		}
		data, err := folder.Read(s.name, s.shape...)
		if err != nil && s.head { // a head for another number of classes is another head
			w = append(w, nil)
			continue
		}
		if err != nil {
			return nil, err
		}
		if k := notFinite(data); k >= 0 {
			return nil, fmt.Errorf("tensor %q: number %d is not finite", s.name, k)
		}
		w = append(w, data)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("tensor %q is missing (%d of the %d that its config.json asks for are, with and without %q "+
			"before the name): "+
			"the weights belong to another config.json", missing[0], len(missing), len(a.slots()), string(a.Architecture)+".")
	}
	return w, nil
}

func notFinite(x []float32) int {
	for i, v := range x {
		if math.IsInf(float64(v), 0) || v != v {
			return i
		}
	}
	return -1
}

// start returns a copy to train. What the head lacks, most often the classifier,
// is drawn: weights from a normal distribution of the config's standard
// deviation, biases 0.
func (w weights) start(a arch, rng *rand.Rand) weights {
	out := make(weights, len(w))
	for i, s := range a.slots() {
		out[i] = make([]float32, s.size())
		switch {
		case w[i] != nil:
			copy(out[i], w[i])
		case !s.bias():
			for k := range out[i] {
				out[i][k] = float32(rng.NormFloat64() * a.sd)
			}
		}
	}
	return out
}

// clone copies all numbers.
func (w weights) clone() weights {
	out := make(weights, len(w))
	for i := range w {
		out[i] = append([]float32(nil), w[i]...)
	}
	return out
}

// digest is the SHA-256 of all numbers, hexadecimal.
func (w weights) digest() string {
	h := sha256.New()
	var b []byte
	for _, x := range w {
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(len(x)))
		for _, v := range x {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}
