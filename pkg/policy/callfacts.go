package policy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"path"
	"slices"
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

// Facts are the decoded values of one call. The tool gets the same values.
type Facts struct {
	Def       *tool.Definition
	Arguments json.RawMessage // a JSON object, valid for the definition
	// Resolve returns the path below the root of the run after following links: the
	// path itself if it does not exist yet. Nil means that the run has no root.
	Resolve func(path string) (string, error)
	// Trusted means that a person wrote the arguments, not a model: identifiers in them
	// are not checked.
	Trusted bool

	args        map[string][]value
	resolved    map[string]string // resolved paths by clean path
	files       []string          // every path, clean and resolved
	labels      []tool.Label      // of the data
	hosts       []string          // host:port of every host the call would reach
	decodeError string            // why a value has no definite meaning, "" for none
}

// A value is an argument, or one item of a list.
type value struct {
	canonical string // see the function canonical
	text      string
	url       *parsedURL // of format uri
	names     []string   // the text; of format uri also normalized; of format path the clean and the resolved path
	words     []string   // of format command
	spellings []string   // of a number or a boolean, as text
	isNested  bool       // an object, or a list within a list
}

// A parsedURL is a URL as rules see it.
type parsedURL struct {
	scheme, host  string // lower case, the host without a trailing dot
	port          int    // explicit or default
	isDefaultPort bool   // the port is the default of the scheme
	path          string
	normalized    string // without fragment
	isAmbiguous   bool   // servers may disagree about the path
}

// decodeArguments decodes the arguments.
func (f *Facts) decodeArguments() {
	f.args, f.resolved = map[string][]value{}, map[string]string{}
	f.files = nil
	properties := gjson.GetBytes(f.Def.Schema, "properties")
	f.hosts, f.decodeError = urlHosts(f.Arguments), ""
	if f.Def.HTTP != nil {
		f.hosts = append(f.hosts, hostPortOf(f.Def.HTTP.Origin))
	}
	forEachMember(f.Arguments, func(name string, raw []byte) {
		f.args[name] = f.decodeArgument(name, properties.Get(gjson.Escape(name)), gjson.ParseBytes(raw))
	})
}

func forEachMember(object json.RawMessage, do func(name string, raw []byte)) {
	gjson.ParseBytes(object).ForEach(func(name, member gjson.Result) bool {
		do(name.Str, []byte(member.Raw))
		return true
	})
}

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

// decodeValue decodes a value according to its format.
func (f *Facts) decodeValue(format string, arg gjson.Result) value {
	v := value{canonical: canonicalScalar(arg), text: arg.Str}
	switch arg.Type {
	case gjson.Number:
		v.spellings = slices.Compact([]string{arg.Raw, plainNumber(arg.Raw)})
		return v
	case gjson.True, gjson.False:
		v.spellings = []string{arg.Raw}
		return v
	case gjson.JSON:
		v.isNested = true
		return v
	case gjson.Null:
		return v
	}
	v.names = []string{v.text}
	var err error
	switch format {
	case "uri":
		v, err = newURLValue(v.text)
		f.hosts = append(f.hosts, hostPortOf(v.text))
	case "path":
		v.names, err = f.cleanAndResolvedNames(v.text)
	case "command":
		v.words, err = tool.SplitCommand(v.text)
	}
	if err != nil && f.decodeError == "" {
		f.decodeError = err.Error()
	}
	return v
}

// newURLValue returns the value of a URL, or without its parts if it has an error.
func newURLValue(text string) (value, error) {
	v := value{canonical: canonicalText(text), text: text, names: []string{text}}
	var err error
	if v.url, err = parseURL(text); err == nil {
		v.names = append(v.names, v.url.normalized)
	}
	return v, err
}

// canonicalScalar returns the canonical form of a scalar with all digits of a number: 5, 5.0 and 50e-1 are equal, two
// numbers with the same float are not.
func canonicalScalar(v gjson.Result) string {
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
			return raw // out of range
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

// cleanAndResolvedNames returns the names of a file: its clean path and the path after resolving links.
func (f *Facts) cleanAndResolvedNames(written string) ([]string, error) {
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

// isAmbiguousPath reports whether servers disagree about the path of a URL.
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

// urlHosts returns the hosts of URLs in arguments at any depth, because definitions need not declare formats.
func urlHosts(args json.RawMessage) []string {
	var hosts []string
	dec := jsontext.NewDecoder(bytes.NewReader(args))
	for {
		token, err := dec.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return hosts
		case err != nil:
			return append(hosts, "?") // matches no allowed host
		}
		if token.Kind() == '"' && strings.Contains(token.String(), "://") {
			hosts = append(hosts, hostPortOf(token.String()))
		}
	}
}

// hostPortOf returns the host:port of a URL. Anything else is returned unchanged and equals no host.
func hostPortOf(raw string) string {
	if a, err := parseURL(raw); err == nil {
		return a.hostPort()
	}
	return raw
}
