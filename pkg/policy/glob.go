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

// A glob is a pattern of the parts of a path or of any other text: in a part, * stands for
// any characters, ? for one and [a-z] for one of several; a part that is ** stands for any
// number of parts, also none.
type glob []string

// newGlob returns the glob of a pattern, or what is wrong with it.
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

// matches reports whether a text matches. Where several parts could stand for one **, the
// fewest are tried first, and only the last ** is ever tried again: what stood before it
// has matched.
func (g glob) matches(text string) bool {
	parts := strings.Split(text, "/")
	i, k := 0, 0         // the next part of the pattern and of the text
	again, from := -1, 0 // behind the last **, and where the text goes on that it left
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

// newURLGlob returns the glob of the paths of addresses, which begin with a slash and are decoded.
func newURLGlob(pattern string) (glob, error) {
	if !strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "**") {
		return nil, errors.New("a URL path begins with a slash")
	}
	if strings.Contains(pattern, "%") {
		return nil, errors.New("write the path without escapes: rules see it decoded")
	}
	return newGlob(pattern)
}

// canMatchFiles reports whether a path of a file, which is relative and has no part that is empty, . or
// .., could match.
func (g glob) canMatchFiles() bool {
	return !slices.ContainsFunc(g, func(part string) bool { return part == "" || part == "." || part == ".." })
}

// literal returns the file or folder that a pattern names, "." for the root itself, and reports whether it names one:
// Keys and Keys/** do, as far as everything below a folder is meant.
func (g glob) literal() (string, bool) {
	for len(g) > 0 && g[len(g)-1] == "**" {
		g = g[:len(g)-1]
	}
	name, rest := g.literalPrefix()
	return name, len(rest) == 0
}

// literalPrefix returns the folder or file that the parts at the beginning name, "." where the first one is a pattern, and
// the other parts.
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

// literalName returns the name that a part of a pattern stands for, and reports whether it is only one.
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

// literalGlob returns the pattern that names a file or folder, with more parts for what is below it.
func literalGlob(name string, more ...string) glob {
	var g glob
	if name != "." {
		g = strings.Split(strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(name), "/")
	}
	if g = append(g, more...); len(g) == 0 {
		return glob{"**"} // all of the root
	}
	return g
}

// folded returns the glob for texts of which [fileroot.Fold] is compared.
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

// A hostGlob is the name of a host, or *.NAME for every host below it, or * for any.
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
	// What has more than a name would never be the host of an address, so that a denial would not hold.
	if _, err := netguard.CheckURL("http://" + name); err != nil || strings.ContainsAny(name, ":/?#") {
		return "", errors.New("write a host such as docs.example.com, or *.example.com for all below it, without scheme, port and brackets")
	}
	return hostGlob(wild + host), nil
}

// matches reports whether a host, in lower case and without a dot at its end, matches.
func (g hostGlob) matches(host string) bool {
	if below, ok := strings.CutPrefix(string(g), "*"); ok {
		return len(host) > len(below) && strings.HasSuffix(host, below)
	}
	return host == string(g)
}
