package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"oneshot/pkg/diag"
	"oneshot/pkg/lint"
	"oneshot/pkg/policy"
	"oneshot/pkg/tool"
)

// A managedPolicy is a policy of the machine's administrator: a layer of every run that users cannot disable.
type managedPolicy struct {
	path  string
	text  []byte
	layer *policy.Layer
}

// A managedDoc identifies a managed policy in dry runs.
type managedDoc struct {
	Path   string `json:"path"`
	Digest string `json:"digest"`
}

func (m *managedPolicy) digest() string {
	if m == nil {
		return ""
	}
	return digest(string(m.text))
}

func (m *managedPolicy) doc() *managedDoc {
	if m == nil {
		return nil
	}
	return &managedDoc{m.path, m.digest()}
}

// readManaged returns the text of the managed policy, nil without one. Only the administrator may be able to change the
// file and its folder.
func readManaged(env Env) (*managedPolicy, error) {
	if _, err := os.Lstat(env.ManagedPolicy); env.ManagedPolicy == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	refuse := func(err error) (*managedPolicy, error) {
		return nil, usagef("the administrator of this machine has to fix or remove it", "managed policy %s: %w", env.ManagedPolicy, err)
	}
	dir, err := os.Stat(filepath.Dir(env.ManagedPolicy))
	if err == nil {
		err = env.checkAdministered("its folder", dir)
	}
	if err != nil {
		return refuse(err)
	}
	f, err := os.OpenFile(env.ManagedPolicy, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return refuse(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err == nil {
		err = env.checkAdministered("it", info)
	}
	if err != nil {
		return refuse(err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxManaged+1))
	if err == nil && len(text) > maxManaged {
		err = fmt.Errorf("it has more than %d bytes", maxManaged)
	}
	if err != nil {
		return refuse(err)
	}
	return &managedPolicy{path: env.ManagedPolicy, text: text}, nil
}

// maxManaged is the maximum size of a managed policy, in bytes.
const maxManaged = 4 << 20

// checkAdministered refuses a file that others than the administrator can change.
func (e Env) checkAdministered(what string, info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != e.Administrator {
		return fmt.Errorf("%s does not belong to root", what)
	}
	if mode := info.Mode().Perm(); mode&writableByOthers != 0 {
		return fmt.Errorf("%s has mode %04o: others than root can change it", what, mode)
	}
	return nil
}

// loadManaged returns the compiled managed policy, nil without one. It may have rules for unknown tools. The name of a
// shipped tool always means that tool, even if a file of the user replaces it.
func loadManaged(env Env, t *console, known *tool.Registry) (*managedPolicy, error) {
	m, err := readManaged(env)
	if m == nil || err != nil {
		return nil, err
	}
	shipped, err := everyTool(env, nil)
	if err != nil {
		return nil, err
	}
	known, _ = tool.NewRegistry(slices.Concat(shipped.All(), known.All())...) // the first definition of a name wins
	checker := lint.NewChecker(nil, tool.Loader{}, lint.V1Defaults{}, known)
	checker.AllowUnknownTools()
	v := checker.CheckFile(m.path, m.text, lint.Policy)
	t.findings(v.Findings, map[string]diag.Text{m.path: {Bytes: m.text}})
	if diag.HasErrors(v.Findings) || v.Policy == nil {
		return nil, usagef("the administrator of this machine has to fix or remove it", "managed policy %s has errors", m.path)
	}
	m.layer = v.Policy
	m.layer.Managed, m.layer.Shipped = true, map[string]string{}
	for _, d := range shipped.All() {
		m.layer.Shipped[d.Name] = d.Builtin
	}
	return m, nil
}
