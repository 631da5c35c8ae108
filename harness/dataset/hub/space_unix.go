//go:build darwin || freebsd || linux

package hub

import "golang.org/x/sys/unix"

// free is how many bytes a user may still write into a folder.
func free(dir string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true // their types differ between systems
}
