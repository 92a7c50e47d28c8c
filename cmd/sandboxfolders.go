package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"oneshot/pkg/fileroot"
	"oneshot/pkg/policy"
	"oneshot/pkg/quote"
	"oneshot/pkg/subprocess"
)

// usualReads are the existing folders that programs may read by default in a sandbox.
var usualReads = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc"}

// sandbox returns a sandbox with resolved folders. It omits nested folders: a program that writes the outer one could
// replace the inner one by a link.
func (o *confineOptions) sandbox(box policy.Sandbox) (subprocess.Sandbox, error) {
	out := subprocess.Sandbox{Network: box.Network, Optional: box.Optional}
	if o.root != "" {
		out.Read = []string{realPath(o.root)}
	}
	reads := box.Read
	if reads == nil {
		reads = usualReads
	}
	for _, name := range reads {
		at, err := o.resolveFolder(name)
		switch {
		case os.IsNotExist(err):
			continue
		case err != nil:
			return out, programsKeyError("", "sandbox.read", "%v", err)
		}
		out.Read = append(out.Read, at)
	}
	for _, name := range box.Write {
		at, err := o.resolveFolder(name)
		switch {
		case os.IsNotExist(err):
			if !filepath.IsAbs(name) {
				name = filepath.Join(o.root, name)
			}
			return out, programsKeyError("create it first: mkdir -p "+quote.Shell(name), "sandbox.write", "%s does not exist", name)
		case err != nil:
			return out, programsKeyError("", "sandbox.write", "%v", err)
		}
		out.Write = append(out.Write, at)
	}
	out.Write = outermost(out.Write, nil)
	out.Read = outermost(out.Read, out.Write)
	return out, nil
}

// resolveFolder returns the resolved path of a sandbox folder. A relative one must stay below the root.
func (o *confineOptions) resolveFolder(name string) (string, error) {
	if filepath.IsAbs(name) {
		return filepath.EvalSymlinks(name)
	}
	if o.root == "" {
		return "", fmt.Errorf("%s is relative and needs --root", name)
	}
	at, err := filepath.EvalSymlinks(filepath.Join(realPath(o.root), name))
	if err != nil {
		return "", err
	}
	if _, below := relativeTo(o.root, at); !below {
		return "", fmt.Errorf("%s is outside the root", name)
	}
	return at, nil
}

// outermost returns the folders that are not inside another of them, and not the same as or inside any of the others.
func outermost(folders, others []string) []string {
	all := slices.Compact(slices.Sorted(slices.Values(folders)))
	return slices.DeleteFunc(slices.Clone(all), func(f string) bool {
		return slices.ContainsFunc(slices.Concat(all, others), func(g string) bool {
			rel, below := relativeTo(g, f)
			return below && (rel != "." || slices.Contains(others, g))
		})
	})
}

// checkWriteFolders refuses a sandbox whose programs could change files of this run or the next, or files that other programs
// run or load.
func (c *confined) checkWriteFolders(box subprocess.Sandbox, root string, made, definitions []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, dir := range box.Write {
		inside := func(name string) bool { _, below := relativeTo(dir, name); return below }
		within := func(name string) bool { _, below := relativeTo(name, dir); return below }
		for _, name := range slices.Concat([]string{root, self}, c.SearchPath(), made, definitions) {
			if inside(name) {
				return programsKeyError("choose a smaller folder", "sandbox.write", "in %s programs could change %s", dir, name)
			}
		}
		if i := slices.IndexFunc(definitions, within); i >= 0 {
			return programsKeyError("choose another folder", "sandbox.write", "in %s programs could add definitions to %s", dir, definitions[i])
		}
		if fileroot.IsProtected(dir) {
			return programsKeyError("choose another folder", "sandbox.write", "other programs run or load files from %s", dir)
		}
	}
	return nil
}

// A confined is the confinement of the programs of a run, and the environment variables they get. It is nil if no tool
// runs a program.
type confined struct {
	subprocess.Confinement
	env      []string // the variables that the policy passes; nil: all that definitions name
	named    []string // the passed variables
	enforced []bool   // for each sandbox, whether the kernel enforces it
	denied   []string // slash paths below the root that policies deny
}

// programsKeyError is the error for a key of programs in a policy.
func programsKeyError(hint, key, format string, args ...any) error {
	return usagef(hint, "--policy: programs.%s: %s", key, fmt.Sprintf(format, args...))
}
