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

// A guard decides which addresses may be connected to.
type guard struct {
	allowed        []HostPort
	interfaceAddrs func() ([]net.Addr, error) // addresses of this machine, as networks
}

// dial connects to the host and port of a URL. The connection is used only for that host and port, so a
// permission for one host never applies to another name.
func (g guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	target, err := parseDialAddress(address)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Control: func(network, address string, _ syscall.RawConn) error {
		return g.control(target, network, address)
	}}
	return d.DialContext(ctx, network, address)
}

// parseDialAddress parses the address that the transport dials.
func parseDialAddress(address string) (HostPort, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return HostPort{}, &RefusedError{URL: address, Why: "it has no host and port"}
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || host == "" {
		return HostPort{}, &RefusedError{URL: address, Why: "it has no host and port"}
	}
	return HostPort{Host: CanonicalHost(host), Port: uint16(n)}, nil
}

// control checks the IP address after every lookup and before every connect. It refuses networks
// other than TCP and invalid addresses.
func (g guard) control(target HostPort, network, address string) error {
	if network != "tcp4" && network != "tcp6" {
		return &RefusedError{URL: address, Why: "the network " + network + " is not supported"}
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return &RefusedError{URL: address, Why: "its address is invalid"}
	}
	return g.checkAddress(target, to)
}

// checkAddress decides whether an address may be connected to for the host of a URL.
func (g guard) checkAddress(target HostPort, to netip.AddrPort) error {
	refuse := func(format string, args ...any) error {
		return &RefusedError{URL: target.String(), Why: fmt.Sprintf(format, args...)}
	}
	unlisted := func(format string, args ...any) error {
		return &RefusedError{URL: target.String(), Why: fmt.Sprintf(format, args...), NotAllowed: true}
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
	b, found := nonPublicBlock(addr)
	if !found {
		b, found = ownBlock(addr, g.interfaceAddrs)
	}
	switch {
	case !found || allowed && target.Host == addr.String():
		return nil
	case allowed && b.private:
		return nil
	case allowed:
		return refuse("%s is %s, which allowing the host name does not permit", addr, b.description)
	}
	if b.private {
		return unlisted("%s is %s", addr, b.description)
	}
	return refuse("%s is %s", addr, b.description)
}
