//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/executor"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/policy"
	"oneshot/pkg/tool"
	"oneshot/tooldefs"
)

// The measured search: a walk looks at no more names than these.
const (
	searchFolders = 250
	searchFiles   = 99_500
	searchRules   = 50
	searchGoal    = 1.3
	namesOnly     = ".txt" // the extension of files that a search does not read
)

// measureFileRules measures a search without rules about files and with many: of files whose names alone are looked at, and
// of the same files when they are read. It needs room for 100,000 files in TMPDIR.
func (b *Bench) measureFileRules(ctx context.Context, _ programs) (rows []Row, err error) {
	layer, err := manyFileRules()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.Dir, "files")
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b.logProgress("writing %d files", searchFiles)
	for i := range searchFiles {
		if err := writeNote(dir, i); err != nil {
			return nil, err
		}
	}
	for _, kind := range []struct{ what, extension string }{{"names only", namesOnly}, {"each file read", ".md"}} {
		row, err := b.ruledSearch(ctx, dir, kind.extension, layer)
		if err != nil {
			return nil, err
		}
		row.What = fmt.Sprintf("search of %d files, %s, %d file rules", searchFiles, kind.what, searchRules)
		rows = append(rows, row)
	}
	return rows, nil
}

// notePath returns the path of a searched file.
func notePath(dir string, i int, extension string) string {
	return filepath.Join(dir, fmt.Sprintf("folder %d", i%searchFolders), fmt.Sprintf("Note %d%s", i, extension))
}

func writeNote(dir string, i int) error {
	file := notePath(dir, i, namesOnly)
	if i < searchFolders {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(file, []byte(strings.Repeat("some text ", 20)), 0o644)
}

// manyFileRules returns denials of folders, and of names at any depth that begin with, end with or contain a text, or have a
// class of letters.
func manyFileRules() (*policy.Layer, error) {
	kinds := []string{"Keys%d/private/**", "**/*.k%d", "**/*secret%d*", "**/draft%d-[a-z]*", "**/folder ?%d/key*"}
	var paths []string
	for i := range searchRules {
		paths = append(paths, fmt.Sprintf(kinds[i%len(kinds)], i))
	}
	doc, err := json.Marshal(map[string]any{"version": 1, "tools": map[string]any{}, "files": map[string]any{"deny": []any{map[string]any{"path": paths}}}})
	if err != nil {
		return nil, err
	}
	layer, findings := policy.Compile(doc, nil)
	if layer == nil {
		return nil, fmt.Errorf("the rules: %v", findings)
	}
	return layer, nil
}

// ruledSearch compares searches that find nothing, in pairs.
func (b *Bench) ruledSearch(ctx context.Context, dir, extension string, layer *policy.Layer) (row Row, err error) {
	b.logProgress("a search of %d files%s", searchFiles, extension)
	for i := range searchFiles {
		if err := os.Rename(notePath(dir, i, namesOnly), notePath(dir, i, extension)); err != nil {
			return Row{}, err
		}
	}
	var plain, ruled []float64
	for range min(b.Runs, 7) + 1 {
		for _, one := range []struct {
			rules []*policy.Layer
			times *[]float64
		}{{nil, &plain}, {[]*policy.Layer{layer}, &ruled}} {
			took, err := timeSearch(ctx, dir, &policy.Policy{Layers: one.rules})
			if err != nil {
				return Row{}, err
			}
			*one.times = append(*one.times, float64(took.Microseconds())/1000)
		}
	}
	self := func(v float64) float64 { return v }
	row = Row{ID: "files", Value: median(ruled[1:], self), Unit: "ms", Against: "no rules", Base: median(plain[1:], self)} // the first fills the caches
	return row.withGoal(fmt.Sprintf("≤ %.1f×", searchGoal), row.Value <= searchGoal*row.Base), nil
}

// timeSearch returns the CPU time of a search for a text that no file contains. The
// search waits for nothing else.
func timeSearch(ctx context.Context, dir string, p *policy.Policy) (time.Duration, error) {
	root, err := fileroot.Open(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	root.AddGuards(p.Guards()...)
	defs, _, err := tool.Loader{}.Load(tooldefs.FS, ".")
	if err != nil {
		return 0, err
	}
	for _, def := range defs {
		def.Timeout = time.Hour // only CPU time counts, even on a loaded machine
	}
	registry, _ := tool.NewRegistry(defs...)
	r := executor.New(registry, executor.Env{Root: root, FileLabels: p.FileLabels})
	begin, err := processorTime()
	if err != nil {
		return 0, err
	}
	result, err := r.Run(ctx, chat.Execution{Call: chat.Call{Name: executor.VaultSearch, Arguments: json.RawMessage(`{"query":"zzz"}`)}})
	if err == nil && !result.OK() {
		err = errors.New(result.Error.Message)
	}
	end, timeErr := processorTime()
	return end - begin, errors.Join(err, timeErr)
}

// processorTime returns the CPU time of this process.
func processorTime() (time.Duration, error) {
	var used syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), err
}
