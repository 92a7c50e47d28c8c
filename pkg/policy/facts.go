package policy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/fileroot"
	"oneshot/pkg/netguard"
	"oneshot/pkg/tool"
)

// Facts are what is known of one call: values that were decoded once, which are the ones
// that its tool gets.
type Facts struct {
	Def       *tool.Definition
	Arguments json.RawMessage // a JSON object that fits the definition
	// Resolve returns where a path leads below the root of the run, links followed: the
	// path itself if nothing is there yet. Nil says that there is no root.
	Resolve func(path string) (string, error)
	// Trusted says that a person, and no model, gives the arguments: identifiers in them
	// are not asked about.
	Trusted bool

	args        map[string][]value
	resolved    map[string]string // where each path leads, by the path as it is written, cleaned
	files       []string          // every path, as it is written and where it leads
	labels      []tool.Label      // of its data
	hosts       []string          // every host that the call would reach, as host:port
	decodeError string            // what is wrong with a value, so that nobody can say what it means
}

// A value is a part of an argument that rules look at: the argument itself or, of a list,
// each of its items.
type value struct {
	canonical string // a scalar, so that equal ones are written alike: see exact
	text      string
	url       *parsedURL // what the text says, where the definition says that it is an address
	names     []string   // of a text, itself; of a path as it is written, cleaned, and where it leads
	words     []string   // of a command, where the definition says that it is one
}

// An parsedURL is a URL as rules see it.
type parsedURL struct {
	scheme, host  string // in lower case, the host without a dot at its end
	port          int    // also where the URL leaves it out
	isDefaultPort bool   // the port is the usual one of the scheme
	path          string
	normalized    string // the address in one form, without what stands behind a #
	isAmbiguous   bool   // the path can be read in more than one way
}

// decode decodes the arguments.
func (f *Facts) decode() {
	f.args, f.resolved = map[string][]value{}, map[string]string{}
	f.files = nil
	properties := gjson.GetBytes(f.Def.Schema, "properties")
	f.hosts, f.decodeError = urlHosts(f.Arguments), ""
	if f.Def.HTTP != nil {
		f.hosts = append(f.hosts, hostPort(f.Def.HTTP.Origin))
	}
	forEachMember(f.Arguments, func(name string, raw []byte) {
		f.args[name] = f.decodeArgument(name, properties.Get(gjson.Escape(name)), gjson.ParseBytes(raw))
	})
}

// forEachMember calls do with each member of an object.
func forEachMember(object json.RawMessage, do func(name string, raw []byte)) {
	gjson.ParseBytes(object).ForEach(func(name, member gjson.Result) bool {
		do(name.Str, []byte(member.Raw))
		return true
	})
}

// decodeArgument returns the values of an argument.
func (f *Facts) decodeArgument(name string, property, arg gjson.Result) []value {
	own := f.Def.BuiltinFormat(name)
	if !arg.IsArray() {
		return []value{f.decodeValue(cmp.Or(own, property.Get("format").Str), arg)}
	}
	var out []value
	items := cmp.Or(own, property.Get("items.format").Str)
	for _, item := range arg.Array() {
		out = append(out, f.decodeValue(items, item))
	}
	return out
}

// decodeValue returns one value, of which the definition says what its text is.
func (f *Facts) decodeValue(format string, arg gjson.Result) value {
	v := value{canonical: canonical(arg), text: arg.Str}
	if arg.Type != gjson.String {
		return v
	}
	v.names = []string{v.text}
	var err error
	switch format {
	case "uri":
		if v.url, err = parseURL(v.text); err == nil {
			v.names = append(v.names, v.url.normalized)
		}
		f.hosts = append(f.hosts, hostPort(v.text))
	case "path":
		v.names, err = f.fileNames(v.text)
	case "command":
		v.words, err = tool.SplitCommand(v.text)
	}
	if err != nil && f.decodeError == "" {
		f.decodeError = err.Error()
	}
	return v
}

// canonical writes a scalar in one form, with all digits of a number: 5, 5.0 and 50e-1 are equal,
// and two numbers that a float would hold for one are not.
func canonical(v gjson.Result) string {
	switch v.Type {
	case gjson.String:
		return canonicalText(v.Str)
	case gjson.Number:
		return canonicalNumber(v.Raw)
	}
	return v.Raw
}

func canonicalText(text string) string { return "text " + text }

func canonicalNumber(raw string) string {
	mantissa, power, _ := strings.Cut(strings.ToLower(raw), "e")
	n := 0
	if power != "" {
		var err error
		if n, err = strconv.Atoi(power); err != nil {
			return raw // out of all bounds
		}
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return "0"
	}
	if mantissa[0] == '-' {
		short = "-" + short
	}
	return short + "e" + strconv.Itoa(n-len(fraction)+len(digits)-len(strings.TrimLeft(short, "-")))
}

// fileNames returns the names of a file.
func (f *Facts) fileNames(written string) ([]string, error) {
	clean, err := fileroot.Clean(written)
	if err != nil {
		return nil, err
	}
	f.files = append(f.files, clean)
	if f.Resolve == nil {
		return []string{clean}, nil
	}
	leads, err := f.Resolve(clean)
	if err != nil {
		return nil, err
	}
	f.resolved[clean] = leads
	f.files = append(f.files, leads)
	return []string{clean, leads}, nil
}

// parseURL reads an address.
func parseURL(raw string) (*parsedURL, error) {
	u, err := netguard.CheckURL(raw)
	if err != nil {
		return nil, err
	}
	to := netguard.HostOf(u)
	a := &parsedURL{scheme: u.Scheme, host: to.Host, port: int(to.Port), path: u.Path}
	a.isDefaultPort = a.port == map[string]int{"http": 80, "https": 443}[u.Scheme]
	if a.path == "" {
		a.path = "/"
	}
	a.normalized = a.scheme + "://" + a.hostPort() + cmp.Or(u.EscapedPath(), "/")
	if u.RawQuery != "" {
		a.normalized += "?" + u.RawQuery
	}
	a.isAmbiguous = isAmbiguousPath(u)
	return a, nil
}

// isAmbiguousPath reports whether servers disagree about what the path of an address says.
func isAmbiguousPath(u *url.URL) bool {
	escaped := strings.ToLower(u.EscapedPath())
	for _, hidden := range []string{"%2f", "%2e", "%5c", "%25", "%00", "//", ";"} {
		if strings.Contains(escaped, hidden) {
			return true
		}
	}
	hidden := func(r rune) bool {
		return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}
	if strings.ContainsFunc(u.Path, hidden) {
		return true
	}
	return u.Path != "" && path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") && u.Path != "/"
}

func (a *parsedURL) hostPort() string {
	if strings.Contains(a.host, ":") {
		return "[" + a.host + "]:" + strconv.Itoa(a.port)
	}
	return a.host + ":" + strconv.Itoa(a.port)
}

// urlHosts returns the addresses of the URLs in arguments, at any depth, for a definition need
// not say what a string is. Arguments are JSON that was checked.
func urlHosts(args json.RawMessage) []string {
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

// hostPort returns the address that a URL leads to as host:port. What is no such URL is
// returned as it is: it equals no address.
func hostPort(raw string) string {
	if a, err := parseURL(raw); err == nil {
		return a.hostPort()
	}
	return raw
}
