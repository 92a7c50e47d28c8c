package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"oneshot/pkg/lint"
)

// A folderReader replaces folders among arguments by their files.
type folderReader struct {
	console  *console
	strict   bool                 // an unreadable file is an error
	omit     string               // a file to skip, such as the baseline
	runFiles bool                 // run files are read record by record, in any size
	fits     func(io.Reader) bool // reports whether a file larger than [maxInput] can be read; nil: none can
}

// expand replaces each folder by the regular files below it, sorted by name, without hidden files and links. It skips
// binary and oversized files with a note. A folder without a file to read is an [inputError].
func (r folderReader) expand(args []string) ([]string, error) {
	var names []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if arg == "-" || err != nil || !info.IsDir() {
			names = append(names, arg) // reading the file reports an error
			continue
		}
		found, err := r.files(arg)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	return names, nil
}

// files returns the files to read below a folder.
func (r folderReader) files(folder string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return readError(name, err)
		case name != folder && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || r.omit != "" && isSameFile(name, r.omit):
			return nil
		}
		reason, err := r.unreadable(name)
		switch {
		case err != nil:
			return readError(name, err)
		case reason == "":
			names = append(names, name)
		case r.strict:
			return &inputError{fmt.Errorf("%s: %s", name, reason)}
		default:
			r.console.note("%s skipped: %s", name, reason)
		}
		return nil
	})
	if err == nil && len(names) == 0 {
		err = &inputError{fmt.Errorf("no file to read in %s", folder)}
	}
	return names, err
}

// unreadable returns the reason why a file cannot be read as text, or "".
func (r folderReader) unreadable(name string) (reason string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	head := make([]byte, sniffedBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	switch head = head[:n]; {
	case isGzip(head):
		return "", nil
	case bytes.IndexByte(head, 0) >= 0:
		return "binary", nil
	case info.Size() <= maxInput, r.runFiles && lint.IsRunFile(head):
		return "", nil
	}
	if r.fits != nil && r.fits(io.MultiReader(bytes.NewReader(head), f)) {
		return "", nil
	}
	return fmt.Sprintf("larger than %d MiB", maxInput>>20), nil
}

// sniffedBytes is the size of the beginning of a file that is searched for NUL bytes.
const sniffedBytes = 8 << 10
