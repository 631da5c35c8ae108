package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// writeNumbers writes columns, one after the other, as little-endian float64.
func writeNumbers(folder, name string, columns ...[]float64) error {
	return write(filepath.Join(folder, name+".f64"), func(w *bufio.Writer) error {
		var b [8]byte
		for _, c := range columns {
			for _, v := range c {
				binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
				if _, err := w.Write(b[:]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// readNumbers reads what writeNumbers wrote, as columns of equal length.
func readNumbers(folder, name string, columns int) ([][]float64, error) {
	raw, err := os.ReadFile(filepath.Join(folder, name+".f64"))
	if err != nil {
		return nil, err
	}
	n := len(raw) / 8 / columns
	out := make([][]float64, columns)
	for c := range out {
		out[c] = make([]float64, n)
		for i := range n {
			out[c][i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*(c*n+i):]))
		}
	}
	return out, nil
}

// write creates a file through a buffer.
func write(path string, content func(w *bufio.Writer) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err = content(w); err == nil {
		err = w.Flush()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// uniform draws n numbers in [0, 1).
func uniform(rng *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = rng.Float64()
	}
	return out
}

// writePairs writes pairs of an answer and its reference, about length words
// each. A reference keeps three words of four of its answer. Words are drawn by
// rank, the r-th in proportion to 1/r, from 4,000 of one to four syllables.
func writePairs(folder string, count, length int) error {
	rng := rand.New(rand.NewPCG(7, uint64(length)))
	parts := []string{"ta", "re", "con", "mi", "ve", "lo", "sti", "ing", "ed", "er", "na", "pro", "is", "al", "ex", "um"}
	words := make([]string, 4000)
	for i := range words {
		for range 1 + rng.IntN(4) {
			words[i] += parts[rng.IntN(len(parts))]
		}
	}
	word := func() string { return words[int(math.Pow(float64(len(words)), rng.Float64()))-1] }
	return write(filepath.Join(folder, "pairs.jsonl"), func(w *bufio.Writer) error {
		out := json.NewEncoder(w)
		for range count {
			var pair [2]string
			for i := range length {
				a := word()
				b := a
				if rng.IntN(4) == 0 {
					b = word()
				}
				if i%12 == 11 {
					a += "."
				}
				pair[0] += a + " "
				pair[1] += b + " "
			}
			if err := out.Encode(pair); err != nil {
				return err
			}
		}
		return nil
	})
}

func readPairs(folder string) ([][2]string, error) {
	f, err := os.Open(filepath.Join(folder, "pairs.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var pairs [][2]string
	for in := json.NewDecoder(f); in.More(); {
		var p [2]string
		if err := in.Decode(&p); err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// writeLog writes a log of two models for `infnet fit`: β uniform, a student
// that errs less the surer it is, a master that errs once in ten.
func writeLog(path string, rows, classes int) error {
	rng := rand.New(rand.NewPCG(3, uint64(rows)))
	return write(path, func(w *bufio.Writer) error {
		fmt.Fprintln(w, "id,class,confidence,student_correct,master_correct")
		for i := range rows {
			beta := math.Round(rng.Float64()*1e6) / 1e6
			student, master := 0, 0
			if rng.Float64() < 0.3+0.7*beta {
				student = 1
			}
			if rng.Float64() < 0.9 {
				master = 1
			}
			if _, err := fmt.Fprintf(w, "q%d,c%d,%g,%d,%d\n", i, rng.IntN(classes), beta, student, master); err != nil {
				return err
			}
		}
		return nil
	})
}
