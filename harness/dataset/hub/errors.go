package hub

import "io/fs"

// OfflineError says that something is not in the cache where no connection may
// be opened. It wraps fs.ErrNotExist.
type OfflineError struct {
	Ref  Ref
	what string
}

func (e *OfflineError) Error() string { return e.what }
func (e *OfflineError) Unwrap() error { return fs.ErrNotExist }

// CacheError says that the cache's disk is full or cannot be written.
type CacheError struct {
	Folder string // of the cache
	what   string
	err    error
}

func (e *CacheError) Error() string { return e.what }
func (e *CacheError) Unwrap() error { return e.err }
