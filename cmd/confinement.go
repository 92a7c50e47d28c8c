package cmd

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"

	"oneshot/pkg/policy"
	"oneshot/pkg/quote"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/tool"
)

// reexecPath starts this program again as the helper that confines another one.
var reexecPath = []string{"/proc/self/exe"}

// programs returns the confinement of the programs of tools, nil if there are none. A confinement that does not work
// here is an error, before the model sees tools that cannot work.
func (o toolAccess) programs(t *console, p policy.Policy, tools []*tool.Definition) (*confined, error) {
	tools = slices.DeleteFunc(slices.Clone(tools), func(d *tool.Definition) bool { return !d.RunsPrograms() })
	if len(tools) == 0 || !p.Flags.EnableExec || p.Flags.ReadOnly {
		return nil, nil
	}
	if o.root == "" {
		return nil, usagef("set --root, e.g. --root work", "tool %s runs programs, which need a root", tools[0].Name)
	}
	c, err := o.confinement(t, p.ProgramConfinement(), tools, o.made, o.definitions)
	if err != nil {
		return nil, err
	}
	return c, c.denyFiles(o, p)
}

// denyFiles denies programs the files that a policy denies and the run records. It fails if only the kernel could
// enforce that and does not.
func (c *confined) denyFiles(o toolAccess, p policy.Policy) error {
	var held bool
	c.denied, held = p.DeniedFiles()
	c.Withheld = o.extentOf(c.denied)
	if held && len(c.denied) > 0 && !slices.Contains(c.enforced, true) {
		return programsKeyError("remove missing: ignore, or set files: {programs: unheld}", "sandbox", "unavailable here, so that programs could reach the files that the policy denies")
	}
	return nil
}

// confinement returns the confinement that all policies together require.
func (o *confineOptions) confinement(t *console, says policy.Programs, tools []*tool.Definition, made, definitions []string) (*confined, error) {
	c := &confined{env: says.Env}
	c.Helper, c.All, c.ReapsOrphans = reexecPath, t.programs, subprocess.BecomeSubreaper()
	c.Path, c.Memory, c.FileSize = says.Path, says.Limit.Memory, says.Limit.FileSize
	c.Processes, c.OpenFiles = says.Limit.Processes, says.Limit.OpenFiles
	if err := c.checkSearchPath(o.root); err != nil {
		return nil, err
	}
	for _, box := range says.Sandboxes {
		one, err := o.sandbox(box)
		if err == nil {
			err = c.checkWriteFolders(one, o.root, made, definitions)
		}
		if err != nil {
			return nil, err
		}
		c.Sandboxes = append(c.Sandboxes, one)
	}
	c.variables(t, tools)
	if err := c.checkSupport(t); err != nil {
		return nil, err
	}
	return c, c.preflight(t, tools)
}

// preflight refuses sandboxes in which the program of a definition cannot start. For a tool whose program the model names
// it only warns, because some programs need no files.
func (c *confined) preflight(t *console, tools []*tool.Definition) error {
	for _, d := range tools {
		if d.Exec == nil {
			if err := c.CheckStart("sh"); err != nil {
				t.say(slog.LevelWarn, fmt.Sprintf("tool %s: most programs cannot start in the sandbox of the policy: sh: %v", d.Name, err))
			}
			continue
		}
		if err := c.CheckStart(d.Exec.Name); err != nil {
			return programsKeyError("list it and its libraries, or omit sandbox.read for the system folders", "sandbox.read", "tool %s: %s: %v", d.Name, d.Exec.Name, err)
		}
	}
	return nil
}

// searchPath returns the folders in which programs are looked up.
func (c *confined) searchPath() []string {
	if c == nil {
		return nil
	}
	return c.SearchPath()
}

// checkSearchPath refuses folders of the program path that tools or other users can write.
func (c *confined) checkSearchPath(root string) error {
	if c.Path != nil && len(c.Path) == 0 {
		return programsKeyError("list a common folder in each policy, or omit path", "path", "the policies have no folder in common, so no program would be found")
	}
	for _, dir := range c.Path {
		if realPath(dir) == realPath(root) {
			return programsKeyError("choose another folder", "path", "%s is the root, which tools can write", dir)
		}
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o002 != 0 {
			return programsKeyError("chmod o-w "+quote.Shell(dir), "path", "%s has mode %04o: anyone can add programs", dir, info.Mode().Perm())
		}
	}
	return nil
}

// variables sets the variables that programs get, and warns about those that the policy hides.
func (c *confined) variables(t *console, tools []*tool.Definition) {
	for _, d := range tools {
		names := c.env // the model names the program
		if d.Exec != nil {
			names = d.Exec.Env
		}
		for _, name := range names {
			if c.passesVariable(name) {
				c.named = append(c.named, name)
				continue
			}
			t.say(slog.LevelWarn, fmt.Sprintf("tool %s: the policy hides the variable %s from its program", d.Name, name))
		}
	}
	slices.Sort(c.named)
	c.named = slices.Compact(c.named)
}

// passesVariable reports whether the policy passes a variable to programs.
func (c *confined) passesVariable(name string) bool {
	return c.env == nil || slices.Contains(c.env, name)
}

// maxSandboxes is the maximum number of stacked Landlock rulesets: see landlock(7).
const maxSandboxes = 16

// checkSupport checks that the kernel can enforce the confinement. It warns about optional sandboxes that it cannot.
func (c *confined) checkSupport(t *console) error {
	if info, err := os.Stat(os.TempDir()); err != nil || !info.IsDir() {
		return usagef("set TMPDIR to a directory for temporary files", "programs cannot run: %s is not a directory, and programs need a temporary folder there", quote.Shell(os.TempDir()))
	}
	if err := (&subprocess.Confinement{Helper: c.Helper}).Check(); err != nil {
		return usagef("see oneshot doctor", "programs cannot run: %w", err)
	}
	if len(c.Sandboxes) > maxSandboxes {
		return programsKeyError("use fewer policies with a sandbox", "sandbox", "the kernel stacks at most %d, the policies have %d", maxSandboxes, len(c.Sandboxes))
	}
	if err := c.Check(); err != nil {
		return usagef("see oneshot doctor, or set missing: ignore in the policy to run programs without a sandbox", "--policy: programs.sandbox: %w", err)
	}
	for _, box := range c.Sandboxes {
		box.Optional = false
		err := (&subprocess.Confinement{Helper: c.Helper, Sandboxes: []subprocess.Sandbox{box}}).Check()
		c.enforced = append(c.enforced, err == nil)
		if err != nil {
			t.say(slog.LevelWarn, fmt.Sprintf("programs run without the sandbox of the policy (missing: ignore): %v", err))
		}
	}
	return nil
}

// A programsDoc describes the confinement of programs in dry runs and run files.
type programsDoc struct {
	Path      []string     `json:"path"`          // folders to look up programs in
	Env       []string     `json:"env,omitempty"` // passed variables
	Memory    int64        `json:"memory_bytes,omitempty"`
	FileSize  int64        `json:"file_size_bytes,omitempty"`
	Processes int          `json:"processes,omitempty"`
	OpenFiles int          `json:"open_files,omitempty"`
	Denied    []string     `json:"denied_files,omitempty"` // below the root
	Sandboxes []sandboxDoc `json:"sandboxes,omitempty"`    // empty: no sandbox
}

// A sandboxDoc describes a sandbox.
type sandboxDoc struct {
	Read    []string `json:"read"`
	Write   []string `json:"write,omitempty"`
	Network bool     `json:"network"`
	Held    bool     `json:"held"` // the kernel enforces it
}

// doc returns the confinement as JSON, nil without one.
func (c *confined) doc() json.RawMessage {
	if c == nil {
		return nil
	}
	doc := programsDoc{Path: c.SearchPath(), Env: c.named, Memory: c.Memory, FileSize: c.FileSize, Processes: c.Processes, OpenFiles: c.OpenFiles, Denied: c.denied}
	for i, box := range c.Sandboxes {
		doc.Sandboxes = append(doc.Sandboxes, sandboxDoc{box.Read, box.Write, box.Network, c.enforced[i]})
	}
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err) // texts, numbers and booleans always have a JSON form
	}
	return text
}

// log logs the confinement, if there is one.
func (c *confined) log(t *console, run string) {
	if c == nil {
		return
	}
	var attrs []slog.Attr
	if run != "" {
		attrs = append(attrs, slog.String("run", run))
	}
	t.logOnly(slog.LevelInfo, msgConfined, append(attrs, slog.Any("programs", json.RawMessage(t.secrets.HideJSON(c.doc()))))...)
}
