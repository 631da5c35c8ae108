package guard

import (
	"encoding/binary"
	"net"
)

// records reads a TLS connection's bytes one record at a time (RFC 8446 §5.1:
// five bytes, of which the last two are the length of what follows), so that
// what has come beyond the one that was wanted is still in the socket, where it
// can be seen.
type records struct {
	net.Conn
	head []byte // of the next record, as far as it has come
	left int    // bytes of the present record
}

const recordHead = 5

func (r *records) Read(p []byte) (int, error) {
	if r.left > 0 {
		n, err := r.Conn.Read(p[:min(len(p), r.left)])
		r.left -= n
		return n, err
	}
	n, err := r.Conn.Read(p[:min(len(p), recordHead-len(r.head))])
	if r.head = append(r.head, p[:n]...); len(r.head) == recordHead {
		r.left = int(binary.BigEndian.Uint16(r.head[3:]))
		r.head = r.head[:0]
	}
	return n, err
}
