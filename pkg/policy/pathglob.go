package policy

import (
	"path"
	"strings"
)

// A PathGlob is a pattern of slash-separated segments with the syntax of policies: * matches any characters, ? one,
// [a-z] one of a class, and the segment ** any number of segments, including none.
type PathGlob struct{ segments glob }

// NewPathGlob parses a pattern. An error names the fault.
func NewPathGlob(pattern string) (PathGlob, error) {
	segments, err := newGlob(pattern)
	return PathGlob{segments}, err
}

// EscapePathGlob returns the pattern that matches exactly a path.
func EscapePathGlob(name string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(name)
}

// Split returns the folder that the leading literal segments name, "." for none, and the pattern of the paths below it.
func (p PathGlob) Split() (folder string, below PathGlob) {
	segments, root := p.segments, ""
	if len(segments) > 1 && segments[0] == "" {
		segments, root = segments[1:], "/"
	}
	name, rest := segments.literalPrefix()
	return path.Join(root, name), PathGlob{rest}
}

// IsLiteral reports whether the pattern has no segments. [PathGlob.Split] returns such a pattern for a literal path.
func (p PathGlob) IsLiteral() bool { return len(p.segments) == 0 }

// Matches reports whether a path matches.
func (p PathGlob) Matches(name string) bool { return p.segments.matches(name) }

// CanMatchBelow reports whether a path below a folder can match.
func (p PathGlob) CanMatchBelow(folder string) bool {
	parts := strings.Split(folder, "/")
	for i, part := range parts {
		switch {
		case i < len(p.segments) && p.segments[i] == "**":
			return true
		case i >= len(p.segments) || !matchesPart(p.segments[i], part):
			return false
		}
	}
	return len(parts) < len(p.segments)
}

// NamesHidden reports whether a segment that begins with a dot matches the name of a hidden file or folder. * and ** do
// not name hidden files.
func (p PathGlob) NamesHidden(name string) bool {
	for _, segment := range p.segments {
		if strings.HasPrefix(segment, ".") && matchesPart(segment, name) {
			return true
		}
	}
	return false
}
