package netguard

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// localDomains are those whose names mean this machine or its network, by RFC 6761, 6762 and 8375 and by
// what ICANN keeps for private use, or that a browser may complete so: "localdomain" and "lan".
var localDomains = []string{"localhost", "local", "internal", "home.arpa", "localdomain", "lan"}

// CheckPage says whether a browser may be sent to a URL that [CheckURL] has let through. The browser makes
// its connections by itself, so only the host as written is judged: an address has to be public, and a name
// must not be one of this machine or its network, unless it is among the allowed ones. The error is a *[Refused].
func CheckPage(u *url.URL, allowed []HostPort) error {
	to := HostOf(u)
	standard := to.Port == 80 || to.Port == 443
	if slices.Contains(allowed, to) || standard && slices.Contains(allowed, HostPort{Host: to.Host}) {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return &Refused{URL: to.String(), Why: fmt.Sprintf(format, args...), Unlisted: true}
	}
	addr, err := netip.ParseAddr(to.Host)
	if err != nil {
		if isLocalName(to.Host) {
			return refuse("it is a name of this machine or its network")
		}
		return nil
	}
	b, found := special(addr)
	if !found {
		b, found = ownBlock(addr, net.InterfaceAddrs)
	}
	if found {
		return refuse("%s is %s", addr, b.what)
	}
	return nil
}

// isLocalName reports whether a name is one of this machine or its network. One without a dot is: resolvers
// complete it with the domain of the network.
func isLocalName(host string) bool {
	return !strings.Contains(host, ".") || slices.ContainsFunc(localDomains, func(domain string) bool {
		return strings.HasSuffix(host, "."+domain)
	})
}
