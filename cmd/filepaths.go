package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// realPath returns the absolute path of a name with links resolved, except in the part that does not exist yet. As in the
// kernel, .. after a link is the parent of its target.
func realPath(name string) string {
	abs := name
	if !filepath.IsAbs(name) {
		dir, err := os.Getwd()
		if err != nil {
			return name // the working directory does not exist
		}
		abs = dir + string(filepath.Separator) + name // Join would drop .. and the link before it
	}
	for rest := ""; ; {
		if found, err := filepath.EvalSymlinks(abs); err == nil {
			return filepath.Join(found, rest)
		}
		parent, base := filepath.Split(strings.TrimRight(abs, string(filepath.Separator)))
		if base == "" {
			return filepath.Join(abs, rest)
		}
		abs, rest = parent, filepath.Join(base, rest)
	}
}

// relativeTo returns the slash path of a file relative to a folder, "." for the folder itself. It follows links in the
// existing part of both. It reports false if the file is outside the folder or the name is empty.
func relativeTo(dir, name string) (string, bool) {
	rel, err := filepath.Rel(realPath(dir), realPath(name))
	return filepath.ToSlash(rel), err == nil && name != "" && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// isSameFile reports whether two names refer to the same file, which may not exist yet.
func isSameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX == nil && errY == nil {
		return os.SameFile(x, y)
	}
	return realPath(a) == realPath(b)
}

// lookUpProgram returns the path of a program, or its name if it is not found.
func lookUpProgram(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	return name
}

// shortestPath returns the relative path of a file if it is shorter.
func shortestPath(path string) string {
	if rel, err := filepath.Rel(".", path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// displayName returns the name of a file for messages.
func displayName(name string) string {
	if name == "-" {
		return "stdin"
	}
	return name
}
