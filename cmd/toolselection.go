package cmd

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// toolOptions select tool definitions.
type toolOptions struct {
	paths []string
	globs []string
	agent string // the agent that paths are from, or ""
}

// shipped prefixes the file names of shipped definitions.
const shipped = "shipped:"

// forRun loads the selected definitions. It returns nil without flags: a run has only the tools it selects.
func (o *toolOptions) forRun(env Env, t *console) (*tool.Registry, error) {
	if len(o.paths)+len(o.globs) == 0 {
		return nil, nil
	}
	return o.load(env, t)
}

// showsTools is the hint for an unknown tool.
const showsTools = "see oneshot tools list"

// forPrompt loads the selected definitions. It requires a flag.
func (o *toolOptions) forPrompt(env Env, t *console) (*tool.Registry, error) {
	if len(o.paths)+len(o.globs) == 0 {
		return nil, usagef("for example --tool 'vault_*'; "+showsTools, "no tools selected")
	}
	return o.load(env, t)
}

// load loads the selected definitions, or all shipped ones without flags, and prints their findings.
func (o *toolOptions) load(env Env, t *console) (*tool.Registry, error) {
	registry, findings, replacing, err := selectTools(env, *o)
	t.findings(findings, definitionTexts(env, findings))
	if err == nil && o.agent != "" {
		err = o.checkShadows(registry)
	}
	for _, d := range replacing {
		t.note("%s of %s:%d replaces the shipped definition", d.Name, d.File, max(d.Line, 1))
	}
	return registry, err
}

// checkShadows refuses definitions of an agent that have the name of a shipped tool: rules for that tool would apply to them.
func (o *toolOptions) checkShadows(registry *tool.Registry) error {
	for _, d := range registry.All() {
		if !isShipped(d) && slices.Contains(tool.BuiltinNames(), d.Name) {
			return usagef("rename it, or accept it with --tools "+quote.Shell(d.File), "%s of %s:%d: the %s must not replace a shipped tool", d.Name, d.File, max(d.Line, 1), o.agent)
		}
	}
	return nil
}

// selectTools returns the selected definitions: with globs the matching ones of files and shipped ones, with files alone
// all of theirs, with neither all shipped ones. A glob without a match and definitions with errors are usage errors.
// Replacing are the definitions of files that replace a shipped one.
func selectTools(env Env, o toolOptions) (registry *tool.Registry, findings []diag.Finding, replacing []*tool.Definition, err error) {
	if bad := policy.FirstInvalidGlob(o.globs); bad != "" {
		return nil, nil, nil, usagef("", "--tool: %q is not a valid glob", bad)
	}
	defs, findings, err := loadDefinitions(env, o)
	if err != nil {
		return nil, nil, nil, withToolHint(err)
	}
	if diag.HasErrors(findings) {
		return nil, findings, nil, newDefinitionsError(findings)
	}
	if defs, err = matchDefinitions(defs, o.globs); err != nil {
		return nil, findings, nil, err
	}
	defs, replacing = preferFiles(defs)
	registry, clashes := tool.NewRegistry(defs...)
	findings = append(findings, clashes...)
	if diag.HasErrors(clashes) {
		return nil, findings, nil, newDefinitionsError(findings)
	}
	return registry, findings, replacing, nil
}

// withToolHint adds a hint to the error for a missing file of --tools whose name is that of a shipped tool.
func withToolHint(err error) error {
	var missing *fs.PathError
	if !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	isTool := func(name string) bool {
		matches, invalid := path.Match(missing.Path, name)
		return matches && invalid == nil
	}
	if !slices.ContainsFunc(tool.BuiltinNames(), isTool) {
		return err
	}
	return &hintedError{err, "--tools loads files; --tool " + quote.Shell(missing.Path) + " selects shipped tools"}
}

// preferFiles leaves out shipped definitions whose name a file defines, and returns those of the files that replace them.
func preferFiles(defs []*tool.Definition) (kept, replacing []*tool.Definition) {
	byName := map[string]*tool.Definition{}
	for _, d := range defs {
		if !isShipped(d) {
			byName[d.Name] = d
		}
	}
	for _, d := range defs {
		if own := byName[d.Name]; own != nil && isShipped(d) {
			replacing = append(replacing, own)
			continue
		}
		kept = append(kept, d)
	}
	return kept, replacing
}

// isShipped reports whether a definition comes with the program.
func isShipped(d *tool.Definition) bool { return d.File == "" || strings.HasPrefix(d.File, shipped) }

// newDefinitionsError is the error for findings that include errors.
func newDefinitionsError(findings []diag.Finding) error {
	return usagef(hintOfFindings(findings), "tool definitions: %s has errors", firstError(findings).File)
}

// loadDefinitions loads the files, and the shipped definitions if they are candidates.
func loadDefinitions(env Env, o toolOptions) (defs []*tool.Definition, findings []diag.Finding, err error) {
	add := func(d []*tool.Definition, f []diag.Finding, err error) error {
		defs, findings = append(defs, d...), append(findings, f...)
		return err
	}
	for _, value := range o.paths {
		s, err := parsePinnedPath(value)
		if err != nil {
			return nil, nil, err
		}
		if err := add(s.load(definitionLoader(""))); err != nil {
			return nil, nil, err
		}
	}
	if len(o.globs) > 0 || len(o.paths) == 0 {
		l := definitionLoader(shipped)
		l.Verified = true // by a test of package tooldefs
		err = add(l.Load(env.Tools, "."))
	}
	return defs, findings, err
}

// definitionLoader returns a loader that knows the built-in tools. Dir prefixes file names.
func definitionLoader(dir string) tool.Loader {
	return tool.Loader{Builtins: tool.BuiltinNames(), Dir: dir}
}

// disk is the file system of this machine, by the names that a command line
// uses: relative to the working directory, or absolute.
type disk struct{}

func (disk) Open(name string) (fs.File, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return f, nil
}

// matchDefinitions returns the definitions that match any glob, in order, or all without globs. A glob without a match is an
// error.
func matchDefinitions(defs []*tool.Definition, globs []string) ([]*tool.Definition, error) {
	if len(globs) == 0 {
		return defs, nil
	}
	var chosen []*tool.Definition
	used := make([]bool, len(globs))
	for _, d := range defs {
		matched := false
		for i, g := range globs {
			if ok, err := path.Match(g, d.Name); err == nil && ok {
				used[i], matched = true, true
			}
		}
		if matched {
			chosen = append(chosen, d)
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, noMatchError(globs[i], defs)
	}
	return chosen, nil
}

// noMatchError is the error for a glob without a match.
func noMatchError(glob string, defs []*tool.Definition) error {
	hint := showsTools
	if strings.ContainsAny(glob, `*?[\`) {
		return usagef(hint, "--tool: no tool matches %q", glob)
	}
	names := make([]string, len(defs))
	for i, d := range defs {
		names[i] = d.Name
	}
	return usagef(cmp.Or(schema.DidYouMean(glob, names), hint), "--tool: unknown tool %q", glob)
}

// definitionTexts reads the files of findings again, for excerpts. It skips unreadable files.
func definitionTexts(env Env, findings []diag.Finding) map[string]diag.Text {
	texts := map[string]diag.Text{}
	for _, f := range findings {
		if _, done := texts[f.File]; done {
			continue
		}
		name, fromProgram := strings.CutPrefix(f.File, shipped+"/")
		fsys := fs.FS(disk{})
		if fromProgram {
			fsys = env.Tools
		}
		if text, err := tool.ReadFile(fsys, name); err == nil {
			texts[f.File] = diag.Text{Bytes: text}
		}
	}
	return texts
}
