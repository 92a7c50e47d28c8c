package tool

import (
	"net/http"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema/yamldoc"
)

func (d *decoder) decodeHeaders(v yamldoc.Value, known bool) []field {
	out := d.decodeFields(v, known, headerContext)
	if !v.IsMap() {
		return out
	}
	m, _ := v.Map()
	seen := map[string]bool{}
	for _, name := range m.Keys() {
		canonical := http.CanonicalHeaderKey(name)
		why, hint := headerNameError(name)
		switch {
		case why != "":
		case seen[canonical]:
			why = "is listed twice"
		case canonical == d.def.KeyHeader:
			why, hint = "holds the idempotency key", "idempotent already sets it"
		}
		if seen[canonical] = true; why != "" {
			m.Key(name).Add(diag.DefRequest, "%s %s", quote.JSON(name), why).Hint = hint
			continue
		}
		if v := m.Get(name); v.IsText() {
			if text, _ := v.Text(); !isHeaderValue(text) {
				v.Add(diag.DefRequest, "a header can contain only printable ASCII characters")
			}
		}
	}
	for _, f := range out {
		if isOverrideHeader(f.name) && len(f.value.placeholders()) > 0 {
			m.Get(f.name).Add(diag.DefPlaceholder, "%s overrides the method, URL or sender of a request: a value would choose it", f.name).Hint = "write the value out"
		}
		d.def.HTTP.Secrets = append(d.def.HTTP.Secrets, f.value.secrets()...)
	}
	return out
}

// transportHeaders control how a request is sent. Definitions cannot set them.
var transportHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Authorization",
	"Proxy-Connection", "Range", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// metadataHeaders open the metadata services of clouds, which hand out credentials.
var metadataHeaders = []string{"Metadata", "Metadata-Flavor", "X-Aws-Ec2-Metadata-Token", "X-Aws-Ec2-Metadata-Token-Ttl-Seconds"}

// overrideHeaders override the method, URL or sender of a request.
var overrideHeaders = []string{
	"X-Http-Method-Override", "X-Http-Method", "X-Method-Override", "X-Original-Url", "X-Rewrite-Url", "X-Original-Uri", "X-Original-Host", "X-Host",
	"Forwarded", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Client-Ip",
}

// isOverrideHeader reports whether a header is one of overrideHeaders. Some servers read _ as -.
func isOverrideHeader(name string) bool {
	canonical := http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
	return slices.Contains(overrideHeaders, canonical) || strings.HasPrefix(canonical, "X-Forwarded-")
}

// headerNameError returns why a definition cannot set a header, or "".
func headerNameError(name string) (why, hint string) {
	switch {
	case !isHTTPToken(name):
		return "is not a valid header name", ""
	case slices.Contains(transportHeaders, http.CanonicalHeaderKey(name)):
		return "controls how the request is sent", "oneshot sets it"
	case slices.Contains(metadataHeaders, http.CanonicalHeaderKey(name)):
		return "opens the metadata service of a cloud", ""
	}
	return "", ""
}

// isHTTPToken reports whether text is a token of HTTP (RFC 9110, 5.6.2), as header names are.
func isHTTPToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}
