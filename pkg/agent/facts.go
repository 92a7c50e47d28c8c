package agent

import (
	"net"
	"net/url"

	"github.com/tidwall/gjson"

	"oneshot/pkg/policy"
)

// facts decodes what the policy looks at. A value whose parameter has the
// format "uri" is an address that the tool would reach.
func facts(s *slot) policy.Facts {
	f := policy.Facts{Tool: s.def.Name, Effect: s.def.Effect}
	gjson.GetBytes(s.def.Schema, "properties").ForEach(func(name, property gjson.Result) bool {
		if property.Get("format").Str == "uri" {
			value := gjson.GetBytes(s.call.Arguments, gjson.Escape(name.Str))
			f.Hosts = append(f.Hosts, hostPort(value.Str))
		}
		return true
	})
	return f
}

// hostPort returns the address that a URL leads to as host:port. What is no
// such URL is returned as it is: it equals no address.
func hostPort(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" {
		return raw
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}
