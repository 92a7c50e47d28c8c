package tool

import (
	"io"
	"io/fs"
	"path"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema/yamldoc"
)

// A Loader reads definition files.
type Loader struct {
	// Builtins are the names that the member builtin accepts, for example [BuiltinNames]. Nil accepts any name.
	Builtins []string
	// Dir is prepended to file names in findings.
	Dir string
	// Verified definitions are known to be valid. Their schemas are compiled on the first check of a
	// call, not on loading.
	Verified bool
}

// A NoDefinitionsError reports a folder without definition files.
type NoDefinitionsError struct{ Dir string }

func (e *NoDefinitionsError) Error() string {
	return e.Dir + ": no *.yaml or *.yml files found"
}

// Load reads a file, or all *.yaml and *.yml files of a folder and its subfolders in the order of their names. Names
// with a leading dot are skipped. It returns the definitions of valid files and the findings about all others. Of two
// definitions with one name it returns the first. The error is one of fsys or a *[NoDefinitionsError].
func (l Loader) Load(fsys fs.FS, name string) ([]*Definition, []diag.Finding, error) {
	files, err := DefinitionFiles(fsys, name)
	if err != nil {
		return nil, nil, err
	}
	var defs []*Definition
	var findings []diag.Finding
	for _, file := range files {
		src, err := ReadFile(fsys, file)
		if err != nil {
			return nil, nil, err
		}
		more, faults := l.Parse(path.Join(l.Dir, file), src)
		defs, findings = append(defs, more...), append(findings, faults...)
	}
	registry, twice := NewRegistry(defs...)
	findings = append(findings, twice...)
	diag.Sort(findings)
	return registry.All(), findings, nil
}

// DefinitionFiles returns the files that [Loader.Load] reads for a file or folder.
func DefinitionFiles(fsys fs.FS, name string) ([]string, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	var out []string
	err = fs.WalkDir(fsys, name, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case file != name && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir() && (path.Ext(file) == ".yaml" || path.Ext(file) == ".yml"):
			out = append(out, file)
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		err = &NoDefinitionsError{Dir: name}
	}
	return out, err
}

// ReadFile reads a file up to just above the size limit of definition files. A larger one is rejected later.
func ReadFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, yamldoc.MaxBytes+1))
}

var findingCodes = yamldoc.Codes{
	Syntax: diag.DefSyntax, UnknownKey: diag.DefUnknownKey, Duplicate: diag.DefDuplicate,
	Type: diag.DefType, Missing: diag.DefMissing, Value: diag.DefValue,
}

// Parse reads one definition file, which can contain several documents. It returns either findings or definitions; of
// two definitions with one name it returns the first.
func (l Loader) Parse(file string, src []byte) ([]*Definition, []diag.Finding) {
	f, docs := yamldoc.Read(file, src, findingCodes)
	var defs []*Definition
	for _, doc := range docs {
		if !doc.IsNull() {
			defs = append(defs, l.decode(f, doc))
		}
	}
	findings := f.Findings()
	switch {
	case len(findings) > 0:
		return nil, findings
	case len(defs) == 0:
		f.Add(findingCodes.Missing, f.Start(), "the file defines no tool")
		return nil, f.Findings()
	}
	registry, twice := NewRegistry(defs...)
	return registry.All(), twice
}
