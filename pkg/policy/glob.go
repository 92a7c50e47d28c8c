package policy

import (
	"errors"
	"net/netip"
	"path"
	"slices"
	"strings"

	"oneshot/pkg/fileroot"
	"oneshot/pkg/netguard"
)

// A glob is a pattern of slash-separated segments: * matches any characters, ? one, [a-z] one of a class, and the
// segment ** any number of segments, including none.
type glob []string

func newGlob(pattern string) (glob, error) {
	parts := strings.Split(pattern, "/")
	for _, p := range parts {
		if p != "**" && strings.Contains(p, "**") {
			return nil, errors.New("** must be a whole segment between slashes")
		}
		if _, err := path.Match(p, ""); err != nil {
			return nil, errors.New("unclosed bracket or trailing backslash")
		}
	}
	return parts, nil
}

// matches reports whether text matches. It backtracks to the last ** only: everything before it has matched.
func (g glob) matches(text string) bool {
	parts := strings.Split(text, "/")
	i, k := 0, 0         // the next part of the pattern and of the text
	again, from := -1, 0 // after the last **: positions in the pattern and in the text
	for k < len(parts) || i < len(g) {
		switch {
		case i < len(g) && g[i] == "**":
			again, from = i+1, k
			i++
		case i < len(g) && k < len(parts) && matchesPart(g[i], parts[k]):
			i, k = i+1, k+1
		case again >= 0 && from < len(parts):
			from++
			i, k = again, from
		default:
			return false
		}
	}
	return true
}

// newURLPathGlob returns a glob of URL paths, which begin with a slash and are unescaped.
func newURLPathGlob(pattern string) (glob, error) {
	if !strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "**") {
		return nil, errors.New("a URL path begins with a slash")
	}
	if strings.Contains(pattern, "%") {
		return nil, errors.New("write the path without escapes: rules see it decoded")
	}
	return newGlob(pattern)
}

// canMatchCleanPath reports whether the glob can match a clean relative path, which has no segment that is empty, . or ..
func (g glob) canMatchCleanPath() bool {
	return !slices.ContainsFunc(g, func(part string) bool { return part == "" || part == "." || part == ".." })
}

// literalPath returns the file or folder that the glob names, "." for the root, and false if it is a pattern. Keys and
// Keys/** both name a folder.
func (g glob) literalPath() (string, bool) {
	for len(g) > 0 && g[len(g)-1] == "**" {
		g = g[:len(g)-1]
	}
	name, rest := g.literalPrefix()
	return name, len(rest) == 0
}

// literalPrefix returns the path of the leading literal segments, "." for none, and the remaining segments.
func (g glob) literalPrefix() (name string, rest glob) {
	names := []string{"."}
	for i, part := range g {
		name, ok := literalName(part)
		if !ok {
			return path.Join(names...), g[i:]
		}
		names = append(names, name)
	}
	return path.Join(names...), nil
}

// literalName returns the name that a segment matches, and false if it can match several.
func literalName(part string) (string, bool) {
	var name strings.Builder
	for rest := part; rest != ""; rest = rest[1:] {
		switch {
		case strings.ContainsRune("*?[", rune(rest[0])):
			return "", false
		case rest[0] == '\\' && len(rest) > 1:
			rest = rest[1:]
		}
		name.WriteByte(rest[0])
	}
	return name.String(), true
}

// literalGlob returns the glob that matches exactly a path, followed by more segments.
func literalGlob(name string, more ...string) glob {
	var g glob
	if name != "." {
		g = strings.Split(EscapePathGlob(name), "/")
	}
	if g = append(g, more...); len(g) == 0 {
		return glob{"**"} // the whole root
	}
	return g
}

// folded returns the glob for texts folded by [fileroot.Fold].
func (g glob) folded() glob {
	out := make(glob, len(g))
	for i, part := range g {
		out[i] = fileroot.Fold(part)
	}
	return out
}

func matchesPart(pattern, part string) bool {
	ok, err := path.Match(pattern, part)
	return ok && err == nil
}

// A hostGlob is a host name, *.NAME for every host below it, or * for any host.
type hostGlob string

func newHostGlob(pattern string) (hostGlob, error) {
	if pattern == "*" {
		return "*", nil
	}
	name := strings.TrimPrefix(pattern, "*.")
	wild, host := strings.TrimSuffix(pattern, name), netguard.CanonicalHost(name)
	if _, err := netip.ParseAddr(host); err == nil && wild == "" {
		return hostGlob(host), nil
	}
	// Anything but a name never equals the host of a URL, so a denial would not hold.
	if _, err := netguard.CheckURL("http://" + name); err != nil || strings.ContainsAny(name, ":/?#") {
		return "", errors.New("write a host such as docs.example.com, or *.example.com for all below it, without scheme, port and brackets")
	}
	return hostGlob(wild + host), nil
}

// matches reports whether a host matches. It must be in lower case and without a trailing dot.
func (g hostGlob) matches(host string) bool {
	if below, ok := strings.CutPrefix(string(g), "*"); ok {
		return len(host) > len(below) && strings.HasSuffix(host, below)
	}
	return host == string(g)
}
