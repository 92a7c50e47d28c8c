package netguard

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// localDomains are the domains of this machine or its network, by RFC 6761, 6762 and 8375 and ICANN's private-use
// reservation, and those that a browser may append: "localdomain" and "lan".
var localDomains = []string{"localhost", "local", "internal", "home.arpa", "localdomain", "lan"}

// CheckBrowserURL checks whether a browser may open a URL that has passed [CheckURL]. The browser connects by
// itself, so only the host as written is checked: an address must be public, and a name must not belong to this
// machine or its network, unless it is allowed. The error is a *[RefusedError].
func CheckBrowserURL(u *url.URL, allowed []HostPort) error {
	to := HostOf(u)
	standard := to.Port == 80 || to.Port == 443
	if slices.Contains(allowed, to) || standard && slices.Contains(allowed, HostPort{Host: to.Host}) {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return &RefusedError{URL: to.String(), Why: fmt.Sprintf(format, args...), NotAllowed: true}
	}
	addr, err := netip.ParseAddr(to.Host)
	if err != nil {
		if isLocalName(to.Host) {
			return refuse("the name belongs to this machine or its network")
		}
		return nil
	}
	b, found := nonPublicBlock(addr)
	if !found {
		b, found = ownBlock(addr, net.InterfaceAddrs)
	}
	if found {
		return refuse("%s is %s", addr, b.description)
	}
	return nil
}

// isLocalName reports whether a name belongs to this machine or its network. Names without a dot do: resolvers
// append the domain of the network.
func isLocalName(host string) bool {
	return !strings.Contains(host, ".") || slices.ContainsFunc(localDomains, func(domain string) bool {
		return strings.HasSuffix(host, "."+domain)
	})
}
