package netguard

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"
)

// numericHosts are hosts that a C library, or a parser that normalizes characters, could read as an
// IP address, most of them of this machine.
var numericHosts = []string{
	"127.1", "127.0.1", "0x7f.1", "0X7F.0.0.1", "0x7f000001", "0177.0.0.1", "017700000001", "0177.0x0.1", "127.0.0.01", "2130706433", "0", "00", "0x0", "127.0.0.1.",
	"１２７.０.０.１", "127。0。0。1", "①②⑦.0.0.1", "127.0.0.1%00", "0x7f.0.0.0x1", "127.0.0.08", "4294967296", "0b1111111.1", "127.0.0.0o1", "١٢٧.0.0.1",
}

// TestNumericHosts checks that such a host is refused by its spelling, and that a connection to it fails
// even without that check.
func TestNumericHosts(t *testing.T) {
	g := guard{interfaceAddrs: noAddresses}
	for _, host := range numericHosts {
		if u, err := CheckURL("http://" + host + "/"); err == nil {
			t.Errorf("%s is let through as %v", host, HostOf(u))
		}
		if _, err := ParseHostPort(host); err == nil {
			t.Errorf("%s could be allowed", host)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if conn, err := g.dial(ctx, "tcp", host+":80"); err == nil {
			conn.Close()
			t.Errorf("%s is connected to", host)
		}
		cancel()
	}
}

// looksNumeric reports whether inet_aton could read a host: one to four numbers in decimal, octal
// or hexadecimal digits. It accepts more than inet_aton, never less.
func looksNumeric(host string) bool {
	parts := strings.Split(host, ".")
	for _, p := range parts {
		if _, err := strconv.ParseUint(p, 0, 64); (err != nil || strings.Contains(p, "_")) && strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return len(parts) <= 4
}

var errDialled = errors.New("dialled")

// dialledBy returns the addresses that a client connects to for a URL.
func dialledBy(t *testing.T, raw string) []string {
	t.Helper()
	var dialled []string
	c := newClient(Options{}, func(_ context.Context, network, address string) (net.Conn, error) {
		dialled = append(dialled, address)
		return nil, errDialled
	})
	defer c.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, raw, nil)
	if err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	resp, err := c.Do(req)
	if err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	if !errors.Is(err, errDialled) {
		t.Errorf("%q: %v", raw, err)
	}
	return dialled
}

// For every accepted URL, the client connects to the host and port that policy rules see. An IP address
// as the host is connected to only if it is public, and no host name can be read as an address.
func FuzzGuard(f *testing.F) {
	for _, host := range numericHosts {
		f.Add("http://" + host + "/")
	}
	for _, s := range []string{
		"http://example.com:80/a?b#c", "HTTPS://EXAMPLE.com./", "http://1.1.1.1:00080/", "http://[::ffff:8.8.8.8]/", "http://[2606:4700::1111]:443/", "http://[::1]/",
		"http://a.b.c.d:65535/", "http://1.2.3.4.example/", "http://xn--bcher-kva.example/", "http://0x7f.example/", "http://a@b/", "http://[fe80::1%25lo]/", "http://A_b/%2e%2e/?x=[",
	} {
		f.Add(s)
	}
	g := guard{interfaceAddrs: noAddresses}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := CheckURL(raw)
		if err != nil {
			return
		}
		seen := HostOf(u)
		dialled := dialledBy(t, u.String())
		if len(dialled) != 1 {
			t.Fatalf("%q leads to %q", raw, dialled)
		}
		target, err := parseDialAddress(dialled[0])
		if err != nil || target != seen {
			t.Errorf("%q leads to %v, %v, and rules see %v", raw, target, err, seen)
		}
		addr, err := netip.ParseAddr(seen.Host)
		if err != nil {
			if looksNumeric(seen.Host) || strings.ContainsFunc(seen.Host, func(r rune) bool { return r > 127 }) {
				t.Errorf("%q: somebody could read %q as an address", raw, seen.Host)
			}
			return
		}
		network := map[bool]string{true: "tcp4", false: "tcp6"}[addr.Is4()]
		permitted := g.control(target, network, netip.AddrPortFrom(addr, target.Port).String()) == nil
		if open := !refusedBy(never, addr) && (target.Port == 80 || target.Port == 443); permitted != open {
			t.Errorf("%q: %v is permitted: %v", raw, target, permitted)
		}
	})
}
