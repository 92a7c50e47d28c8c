package fileroot

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of a path.
const (
	maxPath  = 4096 // bytes
	maxName  = 255  // bytes of one component
	maxDepth = 32   // components
)

// Clean checks the spelling of a path and returns it without a leading "./". Its error is a
// *[PathError].
//
// The rules combine those of all platforms, so that a root can be moved: a path is relative, uses
// slashes and valid UTF-8, and has no "..", backslash, colon or invisible character, and no component
// that Windows reads as a device or strips characters from.
func Clean(p string) (string, error) {
	clean := strings.TrimPrefix(p, "./")
	why := pathProblem(clean)
	if why == "" {
		for name := range strings.SplitSeq(clean, "/") {
			if why = nameProblem(name); why != "" {
				break
			}
		}
	}
	if why != "" {
		return "", &PathError{Kind: Refused, Path: p, Reason: why}
	}
	return clean, nil
}

// pathProblem returns the fault of a path as a whole, or "".
func pathProblem(p string) string {
	switch {
	case p == "":
		return "the path is empty"
	case len(p) > maxPath:
		return "the path is too long"
	case strings.Count(p, "/") >= maxDepth:
		return "the path is too deep"
	case !utf8.ValidString(p):
		return "the path is not valid UTF-8"
	case strings.HasPrefix(p, "/"):
		return "the path is absolute; use one relative to the root"
	case strings.ContainsAny(p, `\:`):
		return "the path contains a backslash or a colon"
	case strings.ContainsFunc(p, isInvisible):
		return "the path contains an invisible character"
	}
	return ""
}

// nameProblem returns the fault of one component of a path, or "".
func nameProblem(name string) string {
	switch {
	case name == "":
		return `the path has an empty component ("//" or a slash at its end)`
	case name == "." || name == "..":
		return `the path contains "." or ".."`
	case len(name) > maxName:
		return "a component of the path is too long"
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return "a component of the path ends with a dot or a space"
	case isDeviceName(name):
		return "a component of the path is a Windows device name"
	case isShortName(name):
		return "a component of the path looks like a Windows short name (GIT~1), which may refer to another file"
	}
	return ""
}

// isInvisible reports control and format characters, including NUL, bidirectional overrides, tags,
// and characters that some file systems ignore in names.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// isDeviceName reports whether Windows treats a name, with any extension, as a device.
func isDeviceName(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	base = strings.TrimRight(base, " ")
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}, base) {
		return true
	}
	number, isPort := strings.CutPrefix(base, "COM")
	if !isPort {
		number, isPort = strings.CutPrefix(base, "LPT")
	}
	return isPort && utf8.RuneCountInString(number) == 1 && strings.Contains("0123456789¹²³", number)
}

// isShortName reports whether a name may be the 8.3 alias that a Windows file system gives a file with
// a longer name: up to eight bytes ending with a tilde and a number, and an extension of up to three.
func isShortName(name string) bool {
	base, extension, _ := strings.Cut(name, ".")
	_, number, tilde := strings.Cut(base, "~")
	return tilde && number != "" && strings.Trim(number, "0123456789") == "" && len(base) <= 8 && len(extension) <= 3
}
