package netguard

import "net/netip"

// A block is a range of addresses that is not plainly public.
type block struct {
	prefix  string
	what    string
	private bool // may be reached through an allowed name
}

// Written by hand from the IANA IPv4 and IPv6 Special-Purpose Address Registries.
// The first block that holds an address counts, so that single addresses stand
// before the ranges they are in. Clouds answer for machine credentials at the
// metadata addresses: only an entry for that very address permits one.
var blocks = []block{
	{"100.100.100.200/32", "a cloud metadata address", false},
	{"168.63.129.16/32", "a cloud metadata address", false},
	{"192.0.0.192/32", "a cloud metadata address", false},
	{"fd00:ec2::254/128", "a cloud metadata address", false},
	{"169.254.0.0/16", "a link-local address", false},

	{"127.0.0.0/8", "a loopback address", true},
	{"10.0.0.0/8", "a private address", true},
	{"172.16.0.0/12", "a private address", true},
	{"192.168.0.0/16", "a private address", true},
	{"100.64.0.0/10", "a shared address of a provider", true},
	{"::1/128", "a loopback address", true},
	{"fc00::/7", "a private address", true},

	{"0.0.0.0/8", "an address of this network", false},
	{"192.0.0.0/24", "an address for protocol assignments", false},
	{"192.0.2.0/24", "a documentation address", false},
	{"192.31.196.0/24", "an AS112 address", false},
	{"192.52.193.0/24", "an AMT address", false},
	{"192.88.99.0/24", "a 6to4 relay address", false},
	{"192.175.48.0/24", "an AS112 address", false},
	{"198.18.0.0/15", "a benchmarking address", false},
	{"198.51.100.0/24", "a documentation address", false},
	{"203.0.113.0/24", "a documentation address", false},
	{"224.0.0.0/4", "a multicast address", false},
	{"240.0.0.0/4", "a reserved address", false},

	{"2001::/23", "an address for protocol assignments", false},
	{"2001:db8::/32", "a documentation address", false},
	{"2002::/16", "a 6to4 address", false},
	{"2620:4f:8000::/48", "an AS112 address", false},
	{"3fff::/20", "a documentation address", false},
}

// global is all of IPv6 that is handed out for public use. What is outside of it
// and in no block above is refused too, known or not.
var global = block{prefix: "2000::/3"}

// contains reports whether an address is in the block.
func (b block) contains(addr netip.Addr) bool {
	prefix, err := netip.ParsePrefix(b.prefix)
	return err == nil && prefix.Contains(addr)
}

// special returns the block of an address that is not public.
func special(addr netip.Addr) (block, bool) {
	for _, b := range blocks {
		if b.contains(addr) {
			return b, true
		}
	}
	if addr.Is6() && !global.contains(addr) {
		return block{what: "not a public address"}, true
	}
	return block{}, false
}
