package cmd

import (
	"path/filepath"
	"strings"

	"oneshot/pkg/executor"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/policy"
	"oneshot/pkg/subprocess"
)

// recordDenial is the reason why tools cannot access run records.
var recordDenial = fileroot.Denial{Rule: "floor:record", Because: "it belongs to the run records"}

// recordsBelow returns the records below the root, as slash paths.
func (o toolAccess) recordsBelow() []string {
	var out []string
	for _, name := range o.records {
		if rel, below := relativeTo(o.root, name); below && rel != "." {
			out = append(out, rel)
		}
	}
	return out
}

// checkRoot refuses a root inside the state directory.
func (o *confineOptions) checkRoot(records []string) error {
	for _, name := range records {
		if _, within := relativeTo(name, o.root); within && name != "" && o.root != "" {
			return usagef("choose another folder", "--root: %s belongs to the run records", o.root)
		}
	}
	return nil
}

// withLinkTargets returns a policy whose file rules also apply to the targets of links below the root.
func (o *confineOptions) withLinkTargets(p policy.Policy) policy.Policy {
	if o.root == "" {
		return p
	}
	root, err := fileroot.Open(o.root)
	if err != nil { // reported when tools need it
		return p
	}
	defer root.Close()
	return p.WithLinkTargets(root.Resolve)
}

// applyFileRules applies the file rules of a policy to the root.
func applyFileRules(env *executor.Env, p *policy.Policy) {
	if env.Root == nil {
		return
	}
	env.Root.AllowDotted(p.WritableDotFileNames()...)
	env.Root.AddGuards(p.Guards()...)
	env.FileLabels = p.FileLabels
}

// extentOf returns a function for the extent to which programs may access a path: not at all for denied slash paths below the
// root and for run records.
func (o toolAccess) extentOf(denied []string) func(path string) subprocess.Extent {
	var paths []string
	add := func(abs string) { paths = append(paths, strings.TrimPrefix(filepath.ToSlash(abs), "/")) }
	for _, rel := range denied {
		add(filepath.Join(realPath(o.root), filepath.FromSlash(rel)))
	}
	for _, name := range o.records {
		if name != "" {
			add(realPath(name))
		}
	}
	top := fileroot.DenyPaths(fileroot.Denial{}, paths...)
	return func(path string) subprocess.Extent {
		at := top
		for name := range strings.SplitSeq(strings.TrimPrefix(filepath.ToSlash(path), "/"), "/") {
			if at == nil {
				return subprocess.Whole
			}
			if name == "" { // the whole file system
				break
			}
			next, why := at.Enter(name)
			if why != nil {
				return subprocess.Nothing
			}
			at = next
		}
		if at == nil {
			return subprocess.Whole
		}
		return subprocess.Partial
	}
}

// toolAccess lists the files that tools can access, and those denied to them.
type toolAccess struct {
	confineOptions
	records     []string // run files and their folders, which no tool may access
	made        []string // files of the command, which tools cannot change
	definitions []string // likewise
}
