//go:build unix

package hub

import (
	"io/fs"
	"syscall"
)

// inode is the number of a file on its disk; 0 = not known.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
