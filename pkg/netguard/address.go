package netguard

import (
	"net"
	"net/netip"

	"code.dny.dev/ssrf"
)

// A block is an address range with a specific description.
type block struct {
	prefix      string
	description string
	private     bool // reachable through an allowed host name
}

// blocks describe non-public addresses; package ssrf, generated from the IANA registries,
// decides which addresses are public. The first matching block counts, so single addresses
// precede the ranges that contain them. Clouds serve machine credentials at the metadata
// addresses, according to their manuals; one of these is in no special-purpose registry. A
// metadata address is permitted only by an entry for exactly this address.
var blocks = []block{
	{"100.100.100.200/32", metadata, false},     // Alibaba
	{"168.63.129.16/32", metadata, false},       // Azure
	{"192.0.0.192/32", metadata, false},         // Oracle
	{"fd00:ec2::/32", metadata, false},          // Amazon
	{"fd20:ce::254/128", metadata, false},       // Google
	{"fd00:c1::a9fe:a9fe/128", metadata, false}, // Oracle
	{"fd00:42::42/128", metadata, false},        // Scaleway
	{"fd00:a9fe:a9fe::1/128", metadata, false},  // Linode
	{"fd00:100::100:200/128", metadata, false},  // Alibaba
	{"169.254.0.0/16", "a link-local address", false},
	{"fe80::/10", "a link-local address", false},

	{"127.0.0.0/8", "a loopback address", true},
	{"::1/128", "a loopback address", true},
	{"10.0.0.0/8", "a private address", true},
	{"172.16.0.0/12", "a private address", true},
	{"192.168.0.0/16", "a private address", true},
	{"100.64.0.0/10", "a shared address of a provider", true},
	{"fc00::/7", "a private address", true},
}

const metadata = "a cloud metadata address"

// contains reports whether an address is in the block.
func (b block) contains(addr netip.Addr) bool {
	prefix, err := netip.ParsePrefix(b.prefix)
	return err == nil && prefix.Contains(addr)
}

// nonPublicBlock returns the block of an address that is not public. An unknown address is not public.
func nonPublicBlock(addr netip.Addr) (block, bool) {
	for _, b := range blocks {
		if b.contains(addr) {
			return b, true
		}
	}
	// Package ssrf treats an invalid address as public.
	if !addr.IsValid() || ssrf.New().SafeAddr(addr) != nil {
		return block{description: "not a public address"}, true
	}
	return block{}, false
}

// ownBlock returns a block if an address, even a public one, belongs to this machine: local connections
// to it bypass firewalls.
func ownBlock(addr netip.Addr, list func() ([]net.Addr, error)) (block, bool) {
	all, err := list()
	if err != nil {
		return block{description: "possibly an address of this machine, whose addresses cannot be listed", private: true}, true
	}
	for _, a := range all {
		if own, err := netip.ParsePrefix(a.String()); err == nil && own.Addr().Unmap() == addr {
			return block{description: "an address of this machine", private: true}, true
		}
	}
	return block{}, false
}
