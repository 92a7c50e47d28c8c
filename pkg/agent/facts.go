package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/policy"
)

// facts decodes what the policy looks at. An address that the tool would reach
// is the value of a parameter with the format "uri", and any string that looks
// like a URL, for a definition need not say what a string is.
func facts(s *slot) policy.Facts {
	f := policy.Facts{Tool: s.def.Name, Effect: s.def.Effect, Scopes: s.def.Scopes, Hosts: urls(s.call.Arguments)}
	gjson.GetBytes(s.def.Schema, "properties").ForEach(func(name, property gjson.Result) bool {
		value := gjson.GetBytes(s.call.Arguments, gjson.Escape(name.Str))
		if value.Exists() && property.Get("format").Str == "uri" {
			f.Hosts = append(f.Hosts, hostPort(value.Str))
		}
		return true
	})
	return f
}

// urls returns the addresses of the URLs in arguments, at any depth. Arguments
// are JSON that was checked.
func urls(args json.RawMessage) []string {
	var hosts []string
	dec := jsontext.NewDecoder(bytes.NewReader(args))
	for {
		token, err := dec.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return hosts
		case err != nil:
			return append(hosts, "?") // which is no address that could be allowed
		}
		if token.Kind() == '"' && strings.Contains(token.String(), "://") {
			hosts = append(hosts, hostPort(token.String()))
		}
	}
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
