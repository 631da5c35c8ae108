//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package hub

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// abandoned is the age at which a lock file is taken for a dead process's: the
// holder renews it while it downloads.
const abandoned = 10 * time.Minute

// tryLock takes the lock by creating its file, or returns nil where another
// holds it.
func tryLock(path string) (func(), error) {
	path += ".held" // not the file that other programs lock
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > abandoned {
		os.Remove(path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		t := time.NewTicker(abandoned / 10)
		defer t.Stop()
		for {
			select {
			case <-stop:
				return
			case now := <-t.C:
				os.Chtimes(path, now, now)
			}
		}
	}()
	return func() { close(stop); <-stopped; f.Close(); os.Remove(path) }, nil
}
