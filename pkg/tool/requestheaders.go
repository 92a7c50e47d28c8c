package tool

import (
	"net/http"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema/yamldoc"
)

// headers reads the headers.
func (d *decoder) headers(v yamldoc.Value, known bool) []field {
	out := d.fields(v, known, headerSlot)
	if !v.IsMap() {
		return out
	}
	m, _ := v.Map()
	seen := map[string]bool{}
	for _, name := range m.Keys() {
		canonical := http.CanonicalHeaderKey(name)
		why, hint := unfitHeader(name)
		switch {
		case why != "":
		case seen[canonical]:
			why = "stands twice"
		case canonical == d.def.KeyHeader:
			why, hint = "holds the key of the call", "idempotent names it"
		}
		if seen[canonical] = true; why != "" {
			m.Key(name).Add(diag.DefRequest, "%s %s", quote(name), why).Hint = hint
			continue
		}
		if v := m.Get(name); v.IsText() {
			if text, _ := v.Text(); !isHeaderText(text) {
				v.Add(diag.DefRequest, "a header holds visible characters of ASCII and blanks")
			}
		}
	}
	for _, f := range out {
		if isOverride(f.name) && len(f.value.holes()) > 0 {
			m.Get(f.name).Add(diag.DefHole, "%s tells servers to take the request for another one: a value would say which", f.name).Hint = "write the value out"
		}
		d.def.HTTP.Secrets = append(d.def.HTTP.Secrets, f.value.secrets()...)
	}
	return out
}

// ownHeaders are those that say how a request is sent, which is not the definition's to say.
var ownHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Authorization",
	"Proxy-Connection", "Range", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// metadataHeaders open the services at which machines of a cloud learn their keys.
var metadataHeaders = []string{"Metadata", "Metadata-Flavor", "X-Aws-Ec2-Metadata-Token", "X-Aws-Ec2-Metadata-Token-Ttl-Seconds"}

// overrideHeaders tell servers that a request has another method, address or sender.
var overrideHeaders = []string{
	"X-Http-Method-Override", "X-Http-Method", "X-Method-Override", "X-Original-Url", "X-Rewrite-Url", "X-Original-Uri", "X-Original-Host", "X-Host",
	"Forwarded", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Client-Ip",
}

// isOverride reports whether a header is one of the overrideHeaders, also where a server
// reads _ as -.
func isOverride(name string) bool {
	canonical := http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
	return slices.Contains(overrideHeaders, canonical) || strings.HasPrefix(canonical, "X-Forwarded-")
}

// unfitHeader says why no request has a header of this name from a definition, or "".
func unfitHeader(name string) (why, hint string) {
	switch {
	case !isToken(name):
		return "is no name of a header", ""
	case slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)):
		return "says how the request is sent", "the program sets it"
	case slices.Contains(metadataHeaders, http.CanonicalHeaderKey(name)):
		return "opens the service where a machine of a cloud has its keys", ""
	}
	return "", ""
}

// isToken reports whether a text is a token of HTTP (RFC 9110, 5.6.2), as names of headers are.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}
