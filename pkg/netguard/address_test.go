package netguard

import (
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"testing"
)

// never lists the ranges outside of the public internet: those of the IPv4 and IPv6
// Special-Purpose Address Registries of the IANA, and all others that are not public. The
// tests compare refusals with this independent list.
var never = []string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24",
	"192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"::/3", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "4000::/2", "8000::/1",
}

// refusedBy reports whether one of the ranges contains an address.
func refusedBy(ranges []string, addr netip.Addr) bool {
	return slices.ContainsFunc(ranges, func(r string) bool { return netip.MustParsePrefix(r).Contains(addr) })
}

// Refusals agree with the registries, at the edges of every range and at random addresses.
func TestSpecialAddresses(t *testing.T) {
	var addrs []netip.Addr
	for _, r := range slices.Concat(never, []string{"2000::/3"}) {
		p := netip.MustParsePrefix(r)
		last := lastOf(p)
		for _, a := range []netip.Addr{p.Addr(), p.Addr().Prev(), last, last.Next()} {
			if a.IsValid() {
				addrs = append(addrs, a)
			}
		}
	}
	for _, b := range blocks {
		addrs = append(addrs, netip.MustParsePrefix(b.prefix).Addr(), lastOf(netip.MustParsePrefix(b.prefix)))
	}
	seed := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		addrs = append(addrs, netip.AddrFrom4([4]byte(bytesOf(seed, 4))), netip.AddrFrom16([16]byte(bytesOf(seed, 16))))
	}
	refused := 0
	for _, a := range addrs {
		a = a.Unmap()
		_, got := nonPublicBlock(a)
		if want := refusedBy(never, a); got != want {
			t.Fatalf("%s is special: %v, want %v", a, got, want)
		}
		if got {
			refused++
		}
	}
	if refused < 1000 || len(addrs)-refused < 1000 {
		t.Errorf("of %d addresses %d were refused", len(addrs), refused)
	}
	if _, found := nonPublicBlock(netip.Addr{}); !found {
		t.Error("what is no address is public")
	}
}

// lastOf returns the last address of a range.
func lastOf(p netip.Prefix) netip.Addr {
	raw := p.Addr().AsSlice()
	for i := p.Bits(); i < len(raw)*8; i++ {
		raw[i/8] |= 1 << (7 - i%8)
	}
	a, _ := netip.AddrFromSlice(raw)
	return a
}

func bytesOf(r *rand.Rand, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

// A public address of this machine is refused unless its host is allowed. If the addresses of
// this machine cannot be listed, every address counts as one of them.
func TestOwnAddresses(t *testing.T) {
	own := func(text ...string) func() ([]net.Addr, error) {
		return func() ([]net.Addr, error) {
			var all []net.Addr
			for _, s := range text {
				ip, n, err := net.ParseCIDR(s)
				if err != nil {
					return nil, err
				}
				all = append(all, &net.IPNet{IP: ip, Mask: n.Mask})
			}
			return all, nil
		}
	}
	unknown := func() ([]net.Addr, error) { return nil, errors.New("not permitted") }
	here := own("127.0.0.1/8", "93.184.215.14/24", "2606:2800::5/64")
	for _, c := range []struct {
		own   func() ([]net.Addr, error)
		allow []HostPort
		to    string
		why   string
	}{
		{here, nil, "93.184.215.14:80", "of this machine"},
		{here, nil, "[::ffff:93.184.215.14]:80", "of this machine"},
		{here, nil, "[2606:2800::5]:443", "of this machine"},
		{here, nil, "93.184.215.15:80", ""},
		{here, nil, "[2606:2800::6]:443", ""},
		{here, []HostPort{{"self.test", 0}}, "93.184.215.14:80", ""},
		{unknown, nil, "93.184.215.14:80", "cannot be listed"},
		{unknown, []HostPort{{"self.test", 0}}, "93.184.215.14:80", ""},
	} {
		to := netip.MustParseAddrPort(c.to)
		err := guard{allowed: c.allow, interfaceAddrs: c.own}.checkAddress(HostPort{"self.test", to.Port()}, to)
		if c.why != "" {
			wantRefused(t, err, c.why)
		} else if err != nil {
			t.Errorf("%s: %v", c.to, err)
		}
	}
}

// The addresses of this machine are found.
func TestOwnAddressesAreListed(t *testing.T) {
	if b, found := ownBlock(netip.MustParseAddr("127.0.0.1"), net.InterfaceAddrs); !found || !b.private {
		t.Error("127.0.0.1 is not an address of this machine")
	}
}
