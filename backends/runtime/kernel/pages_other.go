//go:build !linux

package kernel

func largePages[T float32 | uint16]([]T) {}
