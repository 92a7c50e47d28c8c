package netguard

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"syscall"
)

// A guard decides which addresses are connected to.
type guard struct {
	allowed []HostPort
	own     func() ([]net.Addr, error) // the addresses of this machine, as networks
}

// dial connects to the host and port of a URL. The connection can be used only
// for that host and port, so what is permitted for one host is of no use to
// another name.
func (g guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	target, err := parseTarget(address)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Control: func(network, address string, _ syscall.RawConn) error {
		return g.control(target, network, address)
	}}
	return d.DialContext(ctx, network, address)
}

// parseTarget reads what the transport wants to connect to.
func parseTarget(address string) (HostPort, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return HostPort{}, &Refused{URL: address, Why: "it has no host and port"}
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || host == "" {
		return HostPort{}, &Refused{URL: address, Why: "it has no host and port"}
	}
	return HostPort{Host: Canonical(host), Port: uint16(n)}, nil
}

// control is asked with the address itself, after every look-up and before every
// connect. Whatever it does not understand it refuses.
func (g guard) control(target HostPort, network, address string) error {
	if network != "tcp4" && network != "tcp6" {
		return &Refused{URL: address, Why: "connections over " + network + " are not made"}
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Refused{URL: address, Why: "its address cannot be read"}
	}
	return g.judge(target, to)
}

// judge decides whether an address may be connected to for the host of a URL.
func (g guard) judge(target HostPort, to netip.AddrPort) error {
	refuse := func(format string, args ...any) error {
		return &Refused{URL: target.String(), Why: fmt.Sprintf(format, args...)}
	}
	unlisted := func(format string, args ...any) error {
		return &Refused{URL: target.String(), Why: fmt.Sprintf(format, args...), Unlisted: true}
	}
	addr := to.Addr().Unmap()
	if addr.Zone() != "" {
		return refuse("%s has a zone", addr)
	}
	standard := to.Port() == 80 || to.Port() == 443
	allowed := slices.Contains(g.allowed, HostPort{Host: target.Host, Port: to.Port()}) ||
		standard && slices.Contains(g.allowed, HostPort{Host: target.Host})
	if !standard && !allowed {
		return unlisted("its port is neither 80 nor 443 and is not allowed for the host")
	}
	b, found := special(addr)
	if !found {
		b, found = ownBlock(addr, g.own)
	}
	switch {
	case !found || allowed && target.Host == addr.String():
		return nil
	case allowed && b.private:
		return nil
	case allowed:
		return refuse("%s is %s, which an allowed name does not permit", addr, b.what)
	}
	if b.private {
		return unlisted("%s is %s", addr, b.what)
	}
	return refuse("%s is %s", addr, b.what)
}
