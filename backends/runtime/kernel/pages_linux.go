package kernel

import (
	"syscall"
	"unsafe"
)

// largePages asks for pages of 2 MB below the numbers of a matrix: a product of one row walks through
// all of them, and with small pages a tenth to a fifth of its time goes into finding them. It is advice,
// which a kernel may ignore.
func largePages[T float32 | uint16](x []T) {
	const page, adviseHuge = 1 << 21, 14 // MADV_HUGEPAGE
	size := len(x) * int(unsafe.Sizeof(*new(T)))
	if size < page {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), size)
	small := uintptr(syscall.Getpagesize())
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(x))) & (small - 1))
	_ = syscall.Madvise(bytes[skip:size-(size-skip)%int(small)], adviseHuge)
}
