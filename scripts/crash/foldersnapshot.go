//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A folderSnapshot is the content of a folder: the content of each file by path. Paths of folders end with a slash.
type folderSnapshot map[string]string

// initialSnapshot returns the content of the folder before a run is disturbed.
func (w *workspace) initialSnapshot() folderSnapshot {
	if w.prepared != nil {
		return w.prepared
	}
	at := folderSnapshot{"ask.yaml": ask, "approve.sh": approve, "tools/": "", "tools/send.yaml": tools, "tools/post.yaml": strings.ReplaceAll(requests, address, w.model.address()), "report.yaml": report, "work/": "", "work/text.md": textBefore, "out/": "", "out/answer.json": fileBefore, "scan.png": image, "facts.txt": facts}
	if w.sc.isBatch() {
		delete(at, "out/answer.json")
		at["records.jsonl"] = batchRecordLines()
	}
	return at
}

// restoreSnapshot replaces the content of the folder by a snapshot, once no request is in flight.
func (w *workspace) restoreSnapshot(s folderSnapshot) error {
	if err := w.model.awaitIdle(); err != nil {
		return err
	}
	if err := w.removeFolder(); err != nil {
		return err
	}
	for name, content := range s {
		path := w.path(name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				return err
			}
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), modeOf(name))); err != nil {
			return err
		}
	}
	return nil
}

// modeOf returns the permissions of a file by its name.
func modeOf(name string) fs.FileMode {
	if strings.HasSuffix(name, ".sh") {
		return 0o700
	}
	return 0o600
}

// removeFolder removes the folder. Processes started by a killed run can still write there for a moment.
func (w *workspace) removeFolder() (err error) {
	for range 1000 {
		if err = os.RemoveAll(w.dir); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// takeSnapshot returns the content of the folder.
func (w *workspace) takeSnapshot() (folderSnapshot, error) {
	s := folderSnapshot{}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == w.dir {
			return err
		}
		name := strings.TrimPrefix(path, w.dir+"/")
		if d.IsDir() {
			s[name+"/"] = ""
			return nil
		}
		content, err := os.ReadFile(path)
		s[name] = string(content)
		return err
	})
	return s, err
}
