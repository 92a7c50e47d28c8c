package netguard

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// MaxURL is the maximum length of a URL in bytes.
const MaxURL = 8 << 10

// CheckURL parses a URL for a tool's request. Its host must be unambiguous: the URL is absolute, http or https,
// without user and password, with an ASCII name (punycode if international) or a plain IP address. CheckURL
// neither resolves the host nor checks its address. The error is a *[RefusedError].
func CheckURL(raw string) (*url.URL, error) {
	refuse := func(why string) (*url.URL, error) { return nil, &RefusedError{URL: displayURL(raw), Why: why} }
	if len(raw) > MaxURL {
		return refuse(fmt.Sprintf("it is longer than %d bytes", MaxURL))
	}
	if strings.ContainsFunc(raw, isMisleading) {
		return refuse("it contains a space, a backslash or an invisible character")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return refuse("it is not a URL")
	}
	if why := urlProblem(u); why != "" {
		return refuse(why)
	}
	return u, nil
}

// displayURL returns a URL for an error message, truncated and without a password.
func displayURL(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.User != nil {
		raw = u.Redacted()
	}
	if len(raw) > 200 {
		raw = raw[:200] + "…"
	}
	return strconv.Quote(raw)
}

// isMisleading reports characters that parsers of URLs interpret differently, or that are invisible.
func isMisleading(r rune) bool {
	return r == '\\' || r == unicode.ReplacementChar || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// urlProblem returns the fault of a URL, or "".
func urlProblem(u *url.URL) string {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "only http:// and https:// URLs can be requested"
	case u.Opaque != "":
		return "it has no // after the scheme"
	case u.User != nil:
		return "it contains a user name or password"
	case u.Host == "":
		return "it has no host"
	case strings.HasSuffix(u.Host, ":"):
		return "its port is empty"
	case strings.HasPrefix(u.Host, "["):
		return bracketProblem(u.Hostname())
	case strings.Count(u.Host, ":") > 1:
		return "an IPv6 address needs brackets"
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "its port is not a number from 1 to 65535"
		}
	}
	return hostNameProblem(u.Hostname())
}

// bracketProblem checks a host in brackets.
func bracketProblem(host string) string {
	addr, err := netip.ParseAddr(host)
	switch {
	case err != nil || !addr.Is6():
		return "the brackets do not contain an IPv6 address"
	case addr.Zone() != "":
		return "its address has a zone"
	}
	return ""
}

// hostNameProblem checks a host without brackets: a name or an IPv4 address.
func hostNameProblem(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	host = strings.TrimSuffix(host, ".")
	if len(host) > 253 {
		return "its host name is too long"
	}
	last := ""
	for label := range strings.SplitSeq(host, ".") {
		if why := labelProblem(label); why != "" {
			return why
		}
		last = label
	}
	// C library resolvers accept 127.1, 0x7f.1 and 0177.0.0.1 as addresses.
	if isNumeric(last) {
		return "its host looks like an IP address but is not a valid one"
	}
	return ""
}

// labelProblem checks one label of a host name.
func labelProblem(label string) string {
	switch {
	case label == "":
		return "its host name has an empty part"
	case len(label) > 63:
		return "a part of its host name is too long"
	case strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-"):
		return "a part of its host name begins or ends with a hyphen"
	}
	for i := range len(label) {
		if !isNameByte(label[i]) {
			return "its host name has a character other than ASCII letters, digits, hyphen and underscore"
		}
	}
	return ""
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// isNumeric reports whether any C library parses a label as a number: in decimal, octal, hexadecimal or, in the
// newest versions, binary digits.
func isNumeric(label string) bool {
	label = strings.ToLower(label)
	digits := "0123456789"
	if rest, ok := strings.CutPrefix(label, "0x"); ok {
		label, digits = rest, "0123456789abcdef"
	} else if len(label) > 1 && label[0] == '0' && (label[1] == 'b' || label[1] == 'o') {
		label = label[2:]
	}
	return strings.Trim(label, digits) == ""
}
