package netguard

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// A HostPort is a host that may be reached although it is not on the public internet. It matches the
// host of a URL as written: a name permits the loopback and private addresses it resolves to, an IP
// address permits itself, and neither permits another name of the same machine. Use [ParseHostPort].
type HostPort struct {
	Host string // in lower case; an IP address in its canonical form
	Port uint16 // 0 for ports 80 and 443
}

// String returns the form that [ParseHostPort] parses.
func (h HostPort) String() string {
	if h.Port == 0 {
		return h.Host
	}
	return net.JoinHostPort(h.Host, strconv.Itoa(int(h.Port)))
}

// ParseHostPort parses "HOST" or "HOST:PORT". An IPv6 address with a port needs brackets.
func ParseHostPort(s string) (HostPort, error) {
	bad := func(why string) (HostPort, error) { return HostPort{}, fmt.Errorf("host %q: %s", s, why) }
	if addr, err := netip.ParseAddr(s); err == nil && addr.Zone() == "" {
		return HostPort{Host: CanonicalHost(s)}, nil
	}
	u, err := url.Parse("http://" + s)
	if err != nil || u.Host != s {
		return bad("expected HOST or HOST:PORT")
	}
	if why := urlProblem(u); why != "" {
		return bad(why)
	}
	h := HostPort{Host: CanonicalHost(u.Hostname())}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return bad("the port is not a number")
		}
		h.Port = uint16(n)
	}
	return h, nil
}

// HostOf returns the host and port of a URL that has passed [CheckURL]. Clients connect to these, and
// rules apply to them.
func HostOf(u *url.URL) HostPort {
	h := HostPort{Host: CanonicalHost(u.Hostname()), Port: 80}
	if u.Scheme == "https" {
		h.Port = 443
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		h.Port = uint16(n)
	}
	return h
}

// CanonicalHost returns the spelling in which hosts are compared: a name in lower case without a
// trailing dot, an address in canonical form.
func CanonicalHost(host string) string {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().String()
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
