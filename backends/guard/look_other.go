//go:build !unix

package guard

import "net"

// canLook says that a socket's bytes cannot be looked at without reading them,
// so idle connections are read, as net/http does.
const canLook = false

func waiting(net.Conn) (unread, ended bool) { return false, false }
