package cmd

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"oneshot/pkg/quote"
	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
)

// agentExtensions are the extensions of agent files in the configuration directory.
var agentExtensions = append(yamlExtensions[:len(yamlExtensions):len(yamlExtensions)], ".json")

// yamlExtensions are those of files that can have comments.
var yamlExtensions = []string{".yaml", ".yml"}

// isAgentPath reports whether a value of --agent is a path: it has a slash or an extension. A name has neither.
func isAgentPath(value string) bool { return strings.Contains(value, "/") || filepath.Ext(value) != "" }

// agentsDir returns the folder with the agents of the user, or "".
func agentsDir(env Env) string {
	if dir := configDir(env); dir != "" {
		return filepath.Join(dir, "agents")
	}
	return ""
}

// isInstalledAgent reports whether an agent file is in the folder with the agents of the user, and in no folder below it.
func isInstalledAgent(env Env, path string) bool {
	dir, _ := filepath.Split(path) // which keeps .. after a link, unlike Dir
	return agentsDir(env) != "" && isSameFile(cmp.Or(dir, "."), agentsDir(env))
}

// listAgents returns the agent files of the configuration directory by name.
func listAgents(env Env) map[string][]string {
	found := map[string][]string{}
	dir := agentsDir(env)
	entries, err := os.ReadDir(dir)
	if dir == "" || err != nil { // there need not be one
		return found
	}
	for _, e := range entries {
		name, ext := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())), filepath.Ext(e.Name())
		if slices.Contains(agentExtensions, ext) && name != "" && !strings.Contains(name, ".") && !e.IsDir() {
			found[name] = append(found[name], filepath.Join(dir, e.Name()))
		}
	}
	return found
}

// agentNames returns the names of the agents in the configuration directory.
func agentNames(env Env) (names []string) {
	for name := range listAgents(env) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// findAgent returns the path of the agent file for a value of --agent, or for an argument that names an agent. A name is looked
// up in the configuration directory only. Errors begin with label: --agent, or agent for an argument.
func findAgent(env Env, label, value string) (path string, err error) {
	if isAgentPath(value) {
		return value, nil
	}
	switch paths := listAgents(env)[value]; len(paths) {
	case 0:
		dir := agentsDir(env)
		if dir == "" {
			return "", &hintedError{&inputError{fmt.Errorf("%s %q not found: there is no configuration directory", label, value)},
				"set HOME or XDG_CONFIG_HOME, or name a file, e.g. ./" + value + ".yaml"}
		}
		hint := "for a file use a path, e.g. ./" + value + ".yaml; or create the agent with oneshot agents new " + quote.Shell(value)
		if names := agentNames(env); len(names) > 0 {
			hint = cmp.Or(schema.DidYouMean(value, names), "use "+schema.JoinOr(names)+"; see oneshot agents list")
		}
		return "", &hintedError{&inputError{fmt.Errorf("%s %q not found in %s", label, value, dir)}, hint}
	case 1:
		return paths[0], nil
	default:
		return "", usagef("remove all but one", "%s %q has several files: %s", label, value, strings.Join(paths, ", "))
	}
}

// readOwnFile reads a configuration file of at most a number of bytes that belongs to the user, and that others cannot
// change.
func readOwnFile(flag, path string, most int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe may block
	if err != nil {
		return nil, &inputError{fmt.Errorf("%s: %w", flag, err)}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, &inputError{fmt.Errorf("%s: %w", flag, err)}
	}
	if err := checkOwnFile(flag, path, info, writableByOthers); err != nil {
		return nil, err
	}
	if info.Size() > int64(most) {
		return nil, usagef("", "%s %s: the file has more than %d bytes", flag, path, most)
	}
	src, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	return src, readError(path, err)
}

// checkOwnFile refuses a file that is not regular, belongs to another user or gives others any of some rights.
func checkOwnFile(flag, path string, info fs.FileInfo, others fs.FileMode) error {
	if !info.Mode().IsRegular() {
		return &inputError{fmt.Errorf("%s %s: not a regular file", flag, path)}
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return usagef("copy it, if you trust it", "%s %s: the file belongs to another user", flag, path)
	}
	switch mode := info.Mode().Perm(); {
	case mode&others == 0, others == writableByOthers && !canOthersWrite(path, info):
		return nil
	case others == writableByOthers:
		return usagef("chmod go-w "+quote.Shell(path)+", if the file is as you want it",
			"%s %s: the file has mode %04o: others can change it, so its keys are not trusted", flag, path, mode)
	default:
		return usagef("chmod 600 "+quote.Shell(path)+", if it is your own record",
			"%s %s: the file has mode %04o: others can access it, so its flags are not trusted", flag, path, mode)
	}
}

// maxAgent is the maximum size of an agent file, in bytes.
const maxAgent = yamldoc.MaxBytes
