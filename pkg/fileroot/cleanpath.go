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

// pathProblem returns what is wrong with a path as a whole, or "".
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

// nameProblem returns what is wrong with one component of a path, or "".
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

// protectedNames are never written, at any depth and whether they exist or not: names that other programs
// execute or read as configuration, so that one run could control the next. Compared as by [Fold]. HEAD
// turns a folder into a bare Git repository, whose config can make "git status" run programs.
var protectedNames = []string{
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

// ProtectedNames lists the names, in lower case, that are never written: files and whole folders, at any
// depth. Names with a leading dot are not written either, except those of [Root.AllowDotted].
func ProtectedNames() []string { return slices.Clone(protectedNames) }

// protectedReason returns why a clean path must not be written, or "".
func (r *Root) protectedReason(clean string) string {
	const reason = "files that control this run or other programs are never written"
	p := Fold(clean)
	for _, own := range r.protected {
		end, ending := strings.CutPrefix(own, "*")
		if p == own || strings.HasPrefix(p, own+"/") || ending && strings.HasSuffix(p, end) {
			return reason
		}
	}
	switch {
	case IsProtected(p), slices.ContainsFunc(strings.Split(p, "/"), isTempName):
		return reason
	case r.isDotted(p):
		return "names with a leading dot are written only if every policy names them in a rule that allows them"
	}
	return ""
}

// isDotted reports whether a folded path has a name with a leading dot that is not allowed. Shells, editors,
// package managers, CI and agents read their configuration from such files, and the list keeps growing.
func (r *Root) isDotted(folded string) bool {
	for name := range strings.SplitSeq(folded, "/") {
		if strings.HasPrefix(name, ".") && !slices.Contains(r.dotted, name) {
			return true
		}
	}
	return false
}

// IsProtected reports whether a path, of any kind, is or lies in a name that is never written: see
// [ProtectedNames]. A leading dot alone does not count.
func IsProtected(path string) bool {
	padded := "/" + Fold(path) + "/"
	return slices.ContainsFunc(protectedNames, func(name string) bool { return strings.Contains(padded, "/"+name+"/") })
}

// Fold maps the spellings that a file system may treat as the same path to one: letter case, ligatures,
// composed characters, and invisible characters.
func Fold(p string) string {
	if !strings.ContainsFunc(p, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(p)
	}
	p = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cf) {
			return -1
		}
		return unicode.ToLower(foldRune(r))
	}, norm.NFC.String(p))
	return norm.NFC.String(ligatures.Replace(p))
}

// ligatures expands the letters that case-insensitive comparison treats as two ASCII letters.
var ligatures = strings.NewReplacer(
	"\u00df", "ss", "\u1e9e", "ss", "\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl",
	"\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st")

// FoldCase maps characters that differ only in case to one, by Unicode simple folding, which keeps the number of
// characters but not of bytes.
func FoldCase(s string) string { return strings.Map(foldRune, s) }

// foldRune returns the smallest of the characters that differ from r only in case, such as K for the Kelvin sign.
func foldRune(r rune) rune {
	if 'a' <= r && r <= 'z' {
		return r - 'a' + 'A'
	}
	if r < utf8.RuneSelf {
		return r
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}
