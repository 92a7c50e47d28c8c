package fileroot

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The limits of a path.
const (
	maxPath  = 4096 // bytes
	maxName  = 255  // bytes of one component
	maxDepth = 32   // components
)

// Clean checks the spelling of a path and returns it without a leading "./". Its
// error is a *[PathError].
//
// The rules are those of every platform together, so that a vault can be moved:
// a path is relative, has slashes and valid UTF-8, no "..", backslash or colon,
// no invisible characters, no component that Windows would read as a device or
// strip something from.
func Clean(p string) (string, error) {
	clean := strings.TrimPrefix(p, "./")
	why := badPath(clean)
	if why == "" {
		for name := range strings.SplitSeq(clean, "/") {
			if why = badName(name); why != "" {
				break
			}
		}
	}
	if why != "" {
		return "", &PathError{Kind: Refused, Path: p, Reason: why}
	}
	return clean, nil
}

// badPath says what is wrong with a path as a whole, or "".
func badPath(p string) string {
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
	case strings.ContainsFunc(p, invisible):
		return "the path contains an invisible character"
	}
	return ""
}

// badName says what is wrong with one component of a path, or "".
func badName(name string) string {
	switch {
	case name == "":
		return `the path has an empty component ("//" or a slash at its end)`
	case name == "." || name == "..":
		return `the path contains "." or ".."`
	case len(name) > maxName:
		return "a component of the path is too long"
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return "a component of the path ends with a dot or a space"
	case isDevice(name):
		return "a component of the path is the name of a device on Windows"
	case isShort(name):
		return "a component of the path has the form of a short name, as GIT~1, which may be that of another file"
	}
	return ""
}

// invisible reports control and format characters, among them NUL, bidirectional
// overrides, tags, and those that some file systems ignore in names.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// isDevice reports whether Windows takes a name, with any extension, for a device.
func isDevice(name string) bool {
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

// isShort reports whether a name is one that file systems of Windows, wherever they are mounted,
// may have given to a file with a longer one: up to eight bytes that end with a tilde and a
// number, and an extension of up to three.
func isShort(name string) bool {
	base, extension, _ := strings.Cut(name, ".")
	_, number, tilde := strings.Cut(base, "~")
	return tilde && number != "" && strings.Trim(number, "0123456789") == "" && len(base) <= 8 && len(extension) <= 3
}

// floor is what is never written, wherever it stands in a path and whether it
// exists or not: names that other programs execute or obey, and that would let
// one run steer the next. Compared as by [Fold]. HEAD makes a folder a bare
// repository of Git, whose config says what "git status" runs.
var floor = []string{
	".git", ".gitattributes", ".gitconfig", ".gitmodules", ".hg", ".svn", "head",
	".github/workflows", ".github/actions", ".gitlab-ci.yml", ".circleci", ".travis.yml", "jenkinsfile",
	"azure-pipelines.yml", "azure-pipelines.yaml", "bitbucket-pipelines.yml", "appveyor.yml", "buildspec.yml", "cloudbuild.yaml", "cloudbuild.yml", "codefresh.yml", "codemagic.yaml",
	"screwdriver.yaml", "wercker.yml", "lefthook.yml", "lefthook.yaml", "lefthook.toml", "lefthook.json", "lefthook-local.yml", "lefthook-local.yaml", "mise.toml", "mise.local.toml",
	".env", ".env.local", ".env.development", ".env.development.local", ".env.production", ".env.production.local", ".env.test", ".env.test.local", ".envrc",
	".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".ssh", ".netrc", "_netrc", "authorized_keys", "crontab",
	"makefile", "gnumakefile", "justfile", ".justfile", "rakefile", "taskfile.yml", "taskfile.yaml", ".bazelrc", ".cargo/config", ".cargo/config.toml", "vagrantfile", "tiltfile", "dangerfile",
	".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".husky", ".pre-commit-config.yaml", "sitecustomize.py", "usercustomize.py",
	".vscode", ".idea", ".devcontainer", ".devcontainer.json", ".vimrc", "_vimrc", ".nvimrc", ".nvim.lua", ".exrc", ".dir-locals.el",
	".cursor", ".cursorrules", ".windsurf", ".windsurfrules", ".clinerules", ".goosehints", ".claude", ".codex", ".gemini", ".mcp.json", "opencode.json", "opencode.jsonc",
	"agents.md", "agents.override.md", "agent.md", "claude.md", "claude.local.md", "gemini.md", "qwen.md", "crush.md", "warp.md", ".github/copilot-instructions.md", ".github/instructions",
	".oneshot", "tooldefs", "agent.yaml", "agent.yml", "policy.yaml", "policy.yml",
}

// Protected lists the names, in lower case, that a vault never writes: files and
// whole folders, at any depth. Names with a leading dot are not written either,
// but for those of [Root.AllowDotted].
func Protected() []string { return slices.Clone(floor) }

// protection says why a clean path is not written, or "".
func (r *Root) protection(clean string) string {
	const steers = "a file that steers this run or other programs is never written"
	p := Fold(clean)
	for _, own := range r.protected {
		end, ending := strings.CutPrefix(own, "*")
		if p == own || strings.HasPrefix(p, own+"/") || ending && strings.HasSuffix(p, end) {
			return steers
		}
	}
	switch {
	case Steers(p), slices.ContainsFunc(strings.Split(p, "/"), isDraft):
		return steers
	case r.isDotted(p):
		return "a name with a leading dot is written only where every policy spells it out in a rule that allows it"
	}
	return ""
}

// isDotted reports whether a folded path has a name with a leading dot that is not allowed. Shells,
// editors, package managers, CI and agents read their settings from such files, and more do each year.
func (r *Root) isDotted(folded string) bool {
	for name := range strings.SplitSeq(folded, "/") {
		if strings.HasPrefix(name, ".") && !slices.Contains(r.dotted, name) {
			return true
		}
	}
	return false
}

// Steers reports whether a path, of any kind, is or lies in something that no vault writes: see
// [Protected]. That a name begins with a dot does not count here.
func Steers(path string) bool {
	padded := "/" + Fold(path) + "/"
	return slices.ContainsFunc(floor, func(name string) bool { return strings.Contains(padded, "/"+name+"/") })
}

// Fold brings the spellings of a path that a file system may take for the same
// to one: letter case, letters that stand for two, composed characters, and those that nobody sees.
func Fold(p string) string {
	if !strings.ContainsFunc(p, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(p)
	}
	p = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cf) {
			return -1
		}
		return unicode.ToLower(smallest(r))
	}, norm.NFC.String(p))
	return norm.NFC.String(pairs.Replace(p))
}

// pairs writes out the letters that are pairs of ASCII letters where case makes no difference.
var pairs = strings.NewReplacer(
	"\u00df", "ss", "\u1e9e", "ss", "\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl",
	"\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st")

// smallest returns the smallest of the characters that differ from r in case
// only, such as K for the Kelvin sign.
func smallest(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}
