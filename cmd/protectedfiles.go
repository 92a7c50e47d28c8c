package cmd

import (
	"path/filepath"
	"slices"
	"strings"

	"oneshot/pkg/policy"
	"oneshot/pkg/tool"
)

// protectedFiles returns the files and folders that configure a run or record it. A model that could write them could steer
// this run or the next, or hide its actions.
func (p *sharedPlan) protectedFiles() []string {
	f := p.flags
	names := []string{f.prompt.system, f.prompt.file, f.schema, f.file, f.events, f.model.servers.caFile}
	if template := f.prompt.template; template != nil {
		names = append(names, template.file)
	}
	if run := p.recorded.prompt; run != nil && run.Agent != nil { // which this run does not read again
		names = append(names, run.Agent.File)
	}
	names = append(names, p.recorded.settings[settingPromptFile].Value)
	for _, program := range f.programs {
		names = append(names, lookUpProgram(program))
	}
	if p.tools != nil {
		names = append(names, programPaths(p.policy, p.tools.All())...)
	}
	if agent := p.recorded.agent; agent != nil {
		names = append(names, agent.path, realPath(agent.path))
	}
	for _, name := range f.batch.files {
		if !isStdin(name) {
			names = append(names, name)
		}
	}
	return slices.Concat(names, p.runFiles(), ownFiles(p.recorded.current), ownFiles(p.env), f.policy.files, f.model.servers.secrets.files())
}

// runFilesAndStateDir returns the run files that this command uses, and the state directory. A model that read them would know
// the seed of its boundaries, and get data of other runs without labels.
func (p *sharedPlan) runFilesAndStateDir() []string {
	return slices.Concat(p.runFiles(), stateFolder(p.recorded.current), stateFolder(p.env))
}

// runFiles returns the run files that the flags name.
func (p *sharedPlan) runFiles() []string {
	names := []string{p.flags.record.file}
	if p.recorded.resumed != nil {
		names = append(names, p.recorded.resumed.path)
	}
	if replay := p.recorded.replay; replay != nil && replay.name != demo {
		names = append(names, replay.file())
	}
	return names
}

// programPaths returns the program folders of a policy, and the programs that definitions name by absolute path.
func programPaths(p policy.Policy, tools []*tool.Definition) []string {
	names := p.ProgramConfinement().Path
	for _, d := range tools {
		if d.Exec != nil && filepath.IsAbs(d.Exec.Name) {
			names = append(names[:len(names):len(names)], d.Exec.Name)
		}
	}
	return names
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
			names = append(names, lookUpProgram(name))
		}
	}
	return names
}
