package netguard

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// A HostPort names a host that may be reached although it is not on the public
// internet. It is matched with the host of a URL as written: a name permits the
// loopback and private addresses that it is looked up to, an IP address permits
// itself, and neither permits another name of the same machine. It is made by
// [ParseHostPort].
type HostPort struct {
	Host string // in lower case; an IP address in its canonical form
	Port uint16 // 0 for ports 80 and 443
}

// String returns the form that [ParseHostPort] reads.
func (h HostPort) String() string {
	if h.Port == 0 {
		return h.Host
	}
	return net.JoinHostPort(h.Host, strconv.Itoa(int(h.Port)))
}

// ParseHostPort reads "HOST" or "HOST:PORT". An IPv6 address has brackets when a
// port follows.
func ParseHostPort(s string) (HostPort, error) {
	bad := func(why string) (HostPort, error) { return HostPort{}, fmt.Errorf("host %q: %s", s, why) }
	if addr, err := netip.ParseAddr(s); err == nil && addr.Zone() == "" {
		return HostPort{Host: Canonical(s)}, nil
	}
	u, err := url.Parse("http://" + s)
	if err != nil || u.Host != s {
		return bad("want HOST or HOST:PORT")
	}
	if why := badURL(u); why != "" {
		return bad(why)
	}
	h := HostPort{Host: Canonical(u.Hostname())}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return bad("the port is not a number")
		}
		h.Port = uint16(n)
	}
	return h, nil
}

// HostOf returns the host and port that a URL leads to which [CheckURL] has let through. A
// client made here connects to these, and rules are held against them.
func HostOf(u *url.URL) HostPort {
	h := HostPort{Host: Canonical(u.Hostname()), Port: 80}
	if u.Scheme == "https" {
		h.Port = 443
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		h.Port = uint16(n)
	}
	return h
}

// Canonical returns the one spelling that hosts are compared in: a name in lower case and
// without a dot at its end, an address in its one form.
func Canonical(host string) string {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().String()
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
