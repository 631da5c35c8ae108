//go:build unix

package guard

import (
	"net"
	"syscall"
)

// canLook is true where a socket can be peeked.
const canLook = true

// waiting reports whether unread bytes have arrived, and whether the other side has closed the
// connection.
func waiting(c net.Conn) (unread, ended bool) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return false, false
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false, true
	}
	var b [1]byte
	err = raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		switch {
		case n > 0:
			unread = true
		case err == nil, err != syscall.EAGAIN && err != syscall.EWOULDBLOCK && err != syscall.EINTR:
			ended = true
		}
	})
	return unread, ended || err != nil
}
