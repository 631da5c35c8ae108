//go:build !unix

package guard

import "net"

// canLook is false where a socket cannot be peeked: idle connections are then read, as net/http
// does.
const canLook = false

func waiting(net.Conn) (unread, ended bool) { return false, false }
