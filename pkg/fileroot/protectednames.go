package fileroot

import (
	"slices"
	"strings"
)

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
	case r.hasForbiddenDotName(p):
		return "names with a leading dot are written only if every policy names them in a rule that allows them"
	}
	return ""
}

// hasForbiddenDotName reports whether a folded path has a name with a leading dot that is not allowed. Shells, editors,
// package managers, CI and agents read their configuration from such files, and the list keeps growing.
func (r *Root) hasForbiddenDotName(folded string) bool {
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
