package policy

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/tool"
)

// Programs are the settings for running programs. The executor enforces them.
type Programs struct {
	Path      []string // absolute folders for lookup; nil for the default
	Env       []string // variables they may inherit; nil for the ones in definitions
	Limit     ProgramLimit
	Sandboxes []Sandbox // all apply; without any the kernel restricts nothing
}

// A ProgramLimit bounds the resources of one program. 0 is the default.
type ProgramLimit struct {
	Memory, FileSize     int64 // bytes per process and per file
	Processes, OpenFiles int
}

// A Sandbox lists the paths that programs may access, which the kernel enforces. They are absolute, or slash paths
// below the root of the run.
type Sandbox struct {
	Read     []string // nil for the default
	Write    []string
	Network  bool
	Optional bool // programs run unconfined if the kernel lacks support
}

// ProgramConfinement returns the intersection of the permissions of the layers.
func (p *Policy) ProgramConfinement() Programs {
	var out Programs
	for _, l := range p.Layers {
		out.Path = intersect(out.Path, l.programs.Path)
		out.Env = intersect(out.Env, l.programs.Env)
		out.Limit = out.Limit.strictest(l.programs.Limit)
		out.Sandboxes = append(out.Sandboxes, l.programs.Sandboxes...)
	}
	return out
}

// intersect returns the items in both lists, in the order of the first. A nil list contains everything, an empty list
// nothing.
func intersect(a, b []string) []string {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

func (l ProgramLimit) strictest(other ProgramLimit) ProgramLimit {
	return ProgramLimit{
		Memory: minLimit(l.Memory, other.Memory), FileSize: minLimit(l.FileSize, other.FileSize),
		Processes: int(minLimit(int64(l.Processes), int64(other.Processes))),
		OpenFiles: int(minLimit(int64(l.OpenFiles), int64(other.OpenFiles))),
	}
}

// programsDocument is the JSON form of [Programs]. A missing list is nil.
type programsDocument struct {
	Path  []string `json:"path"`
	Env   []string `json:"env"`
	Limit struct {
		Memory    json.RawMessage `json:"memory"`
		FileSize  json.RawMessage `json:"file_size"`
		Processes int             `json:"processes"`
		OpenFiles int             `json:"open_files"`
	} `json:"limit"`
	Sandbox *struct {
		Read    []string `json:"read"`
		Write   []string `json:"write"`
		Network bool     `json:"network"`
		Missing string   `json:"missing"`
	} `json:"sandbox"`
}

func (c *compiler) compilePrograms(in programsDocument) Programs {
	out := Programs{Path: in.Path, Env: in.Env}
	out.Limit = ProgramLimit{
		Memory: c.parseSize("/programs/limit/memory", in.Limit.Memory), FileSize: c.parseSize("/programs/limit/file_size", in.Limit.FileSize),
		Processes: in.Limit.Processes, OpenFiles: in.Limit.OpenFiles,
	}
	c.checkEach("/programs/path", in.Path, searchFolderError)
	c.checkEach("/programs/env", in.Env, variableNameError)
	if box := in.Sandbox; box != nil {
		c.checkEach("/programs/sandbox/read", box.Read, readPathError)
		c.checkEach("/programs/sandbox/write", box.Write, writePathError)
		out.Sandboxes = []Sandbox{{Read: box.Read, Write: box.Write, Network: box.Network, Optional: box.Missing == "ignore"}}
	}
	return out
}

// checkEach reports each text that check rejects.
func (c *compiler) checkEach(at string, texts []string, wrong func(string) (why, hint string)) {
	for i, text := range texts {
		if why, hint := wrong(text); why != "" {
			c.addFinding(diag.PolicyPrograms, at+"/"+strconv.Itoa(i), "%q: %s", text, why).Hint = hint
		}
	}
}

// parseSize parses an optional number of bytes, 0 for none.
func (c *compiler) parseSize(at string, raw json.RawMessage) int64 {
	if raw == nil {
		return 0
	}
	n, ok := tool.ParseSize(strings.Trim(string(raw), `"`))
	if !ok {
		c.addFinding(diag.PolicyValue, at, "%s is not a size such as 64KB, 1MB or 1MiB", raw)
	}
	return n
}

// searchFolderError returns why programs cannot be looked up in a folder, or "".
func searchFolderError(folder string) (why, hint string) {
	if strings.Contains(folder, ":") {
		return "a folder of PATH cannot contain a colon", ""
	}
	return invalidAbsolutePathError(folder)
}

// variableNameError returns why programs cannot inherit a variable, or "".
func variableNameError(name string) (why, hint string) {
	switch {
	case name == "PATH":
		return "programs.path sets where programs are looked up", "name folders: path: [/usr/bin, /bin]"
	case subprocess.UnsafeVariable(name):
		return "this variable makes programs load or run other code", ""
	}
	return "", ""
}

// readPathError returns why a path is no valid read path, or "".
func readPathError(name string) (why, hint string) {
	if strings.HasPrefix(name, "/") {
		return invalidAbsolutePathError(name)
	}
	if name == "." {
		return "", "" // the root is always readable
	}
	_, err := fileroot.Clean(name)
	if bad := new(fileroot.PathError); errors.As(err, &bad) {
		return bad.Reason, ""
	}
	return "", ""
}

// writePathError returns why programs must not write a path, or "". The kernel knows folders, not the names in them:
// with write access to the root a program could create files that control the next run.
func writePathError(name string) (why, hint string) {
	const below = "name a folder below the root: write: [out]"
	switch why, hint := readPathError(name); {
	case name == ".", name == "./":
		return "in the root, programs could write files that other programs run or obey", below
	case name == "/":
		return "that is the whole file system", below
	case why != "":
		return why, hint
	case fileroot.IsProtected(name):
		return "other programs run or obey the files there", below
	}
	return "", ""
}

func invalidAbsolutePathError(name string) (why, hint string) {
	switch {
	case !strings.HasPrefix(name, "/"):
		return "expected an absolute path", ""
	case strings.ContainsRune(name, 0):
		return "a path cannot contain NUL", ""
	case path.Clean(name) != name:
		return "the path is not in its shortest form", "write " + path.Clean(name)
	}
	return "", ""
}
