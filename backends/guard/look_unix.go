//go:build unix

package guard

import (
	"net"
	"syscall"
)

// canLook says that a socket's bytes can be looked at without reading them.
const canLook = true

// waiting reports whether bytes have come in that nobody has read, and whether
// the other side has ended the connection.
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
