//go:build amd64 && !purego

package policy

import "golang.org/x/sys/cpu"

func takeLess(cells, below []int64, d int64) {
	whole := len(cells) &^ 3
	if below = below[:len(cells)]; whole == 0 || !cpu.X86.HasAVX2 {
		whole = 0
	} else {
		takeLessAVX2(&cells[0], &below[0], d, whole)
	}
	takeLessPortable(cells[whole:], below[whole:], d)
}

// takeLessAVX2 is takeLessPortable of n cells, a multiple of four above 0.
//
//go:noescape
func takeLessAVX2(cells, below *int64, d int64, n int)
