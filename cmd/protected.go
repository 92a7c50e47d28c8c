package cmd

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"oneshot/pkg/fileroot"
	"oneshot/pkg/policy"
	"oneshot/pkg/tool"
)

// protectedFiles returns the files and folders that configure a run or record it. A model that could write them could steer this
// run or the next, or hide its actions.
func (p *runPlan) protectedFiles() []string {
	f := p.flags
	names := []string{f.prompt.system, f.prompt.file, f.schema, f.file, f.model.servers.caFile}
	for _, program := range f.programs {
		names = append(names, programFile(program))
	}
	if p.tools != nil {
		names = append(names, programPaths(p.policy, p.tools.All())...)
	}
	return slices.Concat(names, p.runFiles(), ownFiles(p.recorded.current), ownFiles(p.env), f.policy.files, f.model.servers.secrets.files())
}

// recordFiles returns the run files that this command uses, and the state directory. A model that read them would know
// the seed of its boundaries, and get data of other runs without labels.
func (p *runPlan) recordFiles() []string {
	return slices.Concat(p.runFiles(), stateFolder(p.recorded.current), stateFolder(p.env))
}

// runFiles returns the run files that the flags name.
func (p *runPlan) runFiles() []string {
	names := []string{p.flags.record.file}
	if p.recorded.resumed != nil {
		names = append(names, p.recorded.resumed.path)
	}
	if p.recorded.replay != nil {
		names = append(names, p.recorded.replay.file())
	}
	return names
}

// programPaths returns the program folders of a policy, and the programs that definitions name by absolute path.
func programPaths(p policy.Policy, tools []*tool.Definition) []string {
	names := p.Programs().Path
	for _, d := range tools {
		if d.Exec != nil && filepath.IsAbs(d.Exec.Name) {
			names = append(names[:len(names):len(names)], d.Exec.Name)
		}
	}
	return names
}

// ownFiles returns the state directory, agents, settings and the managed policy.
func ownFiles(env Env) []string {
	names := stateFolder(env)
	if dir := configDir(env); dir != "" {
		names = append(names, filepath.Join(dir, "agents"), filepath.Join(dir, "config.yaml"))
	}
	if env.ManagedPolicy != "" {
		names = append(names, env.ManagedPolicy)
	}
	return names
}

// configDir returns the configuration directory of the user, or "".
func configDir(env Env) string {
	if dir := env.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "oneshot")
	}
	if home := env.Getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "oneshot")
	}
	return ""
}

// programFile returns the path of a program, or its name if it is not found.
func programFile(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	return name
}

// files returns the files and programs of --secret.
func (o secretOptions) files() []string {
	var names []string
	for _, v := range o.values {
		_, source, _ := strings.Cut(v, "=")
		if file, ok := strings.CutPrefix(source, "file:"); ok {
			names = append(names, file)
		} else if program, ok := strings.CutPrefix(source, "command:"); ok {
			name, _, _ := strings.Cut(strings.TrimSpace(program), " ")
			names = append(names, programFile(name))
		}
	}
	return names
}

// openRoot opens a root in which the given files and tool definitions are write-protected.
func openRoot(dir string, files, definitions []string) (*fileroot.Root, error) {
	var protect []string
	for _, name := range files {
		if rel, below := relativeTo(dir, name); below && rel != "." {
			protect = append(protect, rel)
		}
	}
	for _, name := range definitions {
		rel, below := relativeTo(dir, name)
		_, above := relativeTo(name, dir)
		switch {
		case rel == "." || above:
			protect = append(protect, "*.yaml", "*.yml")
		case below:
			protect = append(protect, rel)
		}
	}
	return fileroot.Open(dir, protect...)
}

// relativeTo returns the slash path of a file relative to a folder, "." for the folder itself. It follows links in the
// existing part of both. It reports false if the file is outside the folder or the name is empty.
func relativeTo(dir, name string) (string, bool) {
	rel, err := filepath.Rel(realPath(dir), realPath(name))
	return filepath.ToSlash(rel), err == nil && name != "" && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// realPath returns the absolute path of a name with links resolved, except in the part that does not exist yet.
func realPath(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return name // the working directory does not exist
	}
	for rest := ""; ; {
		if found, err := filepath.EvalSymlinks(abs); err == nil {
			return filepath.Join(found, rest)
		}
		parent := filepath.Dir(abs)
		if parent == abs {
			return filepath.Join(abs, rest)
		}
		abs, rest = parent, filepath.Join(filepath.Base(abs), rest)
	}
}
