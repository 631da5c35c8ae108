package analyze

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"math"

	"infnet/backends"
	"infnet/harness/spec"
)

// Cache keeps expensive computations by a hash of everything they depend on. Get
// returns false for anything that cannot be read; Put writes all or nothing.
type Cache interface {
	Get(key string) ([]byte, bool)
	Put(key string, data []byte) error
}

// ingredientsKey is the SHA-256, hexadecimal, of everything a sufficiency test
// depends on. The number of threads is left out, as it changes nothing.
func ingredientsKey(s *spec.Sufficiency, task sufficiencyTask) (string, error) {
	in, o, j := task.fit, task.options, task.ingredients
	o.Threads = 0
	h := sha256.New()
	for _, part := range []any{sufficiencyCode, s, o, j.marked, in.IDs, in.Groups, in.Class} {
		b, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		h.Write(b)
		h.Write([]byte{'\n'})
	}
	for _, column := range [][]float64{in.Beta, in.StudentErr, in.MasterErr, in.StudentCost, in.MasterCost} {
		floats(h, column)
	}
	for _, table := range [][][]float64{j.probs, j.logprobs} {
		binary.Write(h, binary.LittleEndian, int64(len(table))) // writing to a hash never fails
		for _, row := range table {
			floats(h, row)
		}
	}
	binary.Write(h, binary.LittleEndian, int64(len(j.vectors)))
	for _, v := range j.vectors {
		binary.Write(h, binary.LittleEndian, int64(len(v)))
		binary.Write(h, binary.LittleEndian, v)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// floats hashes a column with its length.
func floats(h hash.Hash, column []float64) {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(column)))
	for _, x := range column {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	h.Write(b)
}

// tokenLogprobs are the log-probabilities that the confidence of a generation
// is read from: those before the end token.
func tokenLogprobs(tokens []backends.Token) []float64 {
	out := []float64{}
	for _, t := range tokens {
		if t.End {
			break
		}
		out = append(out, min(t.Logprob, 0)) // servers round
	}
	return out
}
