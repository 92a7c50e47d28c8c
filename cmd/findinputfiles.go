package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"oneshot/pkg/policy"
)

// maxFoundInput is the largest file that a folder or glob adds to the input, in bytes. A larger file must be named.
const maxFoundInput = 1 << 20

// An inputFinder finds the files of a folder or glob among the values of --input. It reports files that it leaves out.
type inputFinder struct {
	console *console
	found   []string
}

// isInputGlob reports whether a value of --input is a pattern: no file has that name, and it has a wildcard.
func isInputGlob(value string) bool {
	_, err := os.Lstat(value)
	return errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(value, `*?[\`)
}

// inputGlobFolder returns the folder that a pattern of --input searches. It returns any other value as it is.
func inputGlobFolder(value string) string {
	glob, err := policy.NewPathGlob(filepath.ToSlash(value))
	if err != nil || !isInputGlob(value) {
		return value // an invalid pattern opens nothing
	}
	folder, _ := glob.Split()
	return folder
}

// findInput returns the files of a folder or glob, sorted by name. For the name of a file it returns false.
func findInput(ctx context.Context, t *console, value string) (found []string, isSearch bool, err error) {
	f := inputFinder{console: t}
	if isInputGlob(value) {
		glob, err := policy.NewPathGlob(filepath.ToSlash(value))
		if err != nil {
			return nil, false, usagef("", "--input %s: %v", value, err)
		}
		folder, below := glob.Split()
		if below.IsLiteral() {
			return nil, false, nil // opening it reports the error
		}
		return f.walk(ctx, folder, below.Matches, below)
	}
	if info, err := os.Stat(value); err != nil || !info.IsDir() {
		return nil, false, nil
	}
	all, err := policy.NewPathGlob("**")
	if err != nil {
		return nil, false, err
	}
	return f.walk(ctx, value, func(string) bool { return true }, all)
}

// isFoundInput reports whether the folder or glob of a value of --input finds a file, which need not exist yet.
func isFoundInput(ctx context.Context, value, name string) bool {
	if info, err := os.Stat(name); err == nil {
		stat, ok := info.Sys().(*syscall.Stat_t)
		switch {
		case !info.Mode().IsRegular():
			return false
		case ok && stat.Nlink > 1: // it may have another name there
			found, _, _ := findInput(ctx, &console{outputOptions: outputOptions{quiet: true}}, value) // reading the input reports an error
			return slices.ContainsFunc(found, func(file string) bool { return isSameFile(name, file) })
		}
	}
	folder := value
	glob, err := policy.NewPathGlob("**")
	if isInputGlob(value) {
		if glob, err = policy.NewPathGlob(filepath.ToSlash(value)); err == nil {
			folder, glob = glob.Split()
		}
	}
	below, isBelow := relativeTo(folder, name)
	isHidden := func(part string) bool { return strings.HasPrefix(part, ".") && !glob.NamesHidden(part) }
	return err == nil && isBelow && glob.Matches(below) && !slices.ContainsFunc(strings.Split(below, "/"), isHidden)
}

// walk finds the matching files below a folder.
func (f *inputFinder) walk(ctx context.Context, folder string, matches func(string) bool, glob policy.PathGlob) ([]string, bool, error) {
	root := folder + string(filepath.Separator) // also if the folder is a link
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, fs.ErrNotExist) && name == root:
			return nil // a glob below a missing folder matches nothing
		case err != nil:
			return readError(name, err)
		case name == root:
			return nil
		}
		below, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		canEnter, name := glob.CanMatchBelow(filepath.ToSlash(below)), filepath.Join(folder, below)
		isHidden := strings.HasPrefix(entry.Name(), ".") && !glob.NamesHidden(entry.Name())
		switch isMatch := matches(filepath.ToSlash(below)); {
		case entry.IsDir() && (!canEnter || isHidden):
			if canEnter {
				f.leaveOut(name, "hidden")
			}
			return fs.SkipDir
		case entry.IsDir(), !isMatch && (!canEnter || entry.Type().IsRegular()):
		case isHidden:
			f.leaveOut(name, "hidden")
		case entry.Type()&fs.ModeSymlink != 0:
			f.leaveOut(name, "symbolic link")
		case !entry.Type().IsRegular():
			f.leaveOut(name, "not a regular file")
		default:
			f.found = append(f.found, name)
		}
		return nil
	})
	return f.found, true, err
}

func (f *inputFinder) leaveOut(name, reason string) {
	f.console.note("%s left out of the input: %s", name, reason)
}

// readFoundFile reads a found file, or leaves it out.
func (f *inputFinder) readFoundFile(ctx context.Context, name string, mayBeEmpty bool) (text string, ok bool, err error) {
	data, err := interruptible(ctx, name, func() ([]byte, error) {
		file, err := os.Open(name)
		if err != nil {
			return nil, &inputError{err}
		}
		defer file.Close()
		return readAtMost(file, name, maxFoundInput+1)
	})
	if err != nil {
		return "", false, err
	}
	reason := ""
	switch text = string(data); {
	case len(data) > maxFoundInput:
		reason = fmt.Sprintf("larger than %d MiB", maxFoundInput>>20)
	case strings.IndexByte(text, 0) >= 0:
		reason = "binary"
	case !utf8.ValidString(text):
		reason = "not UTF-8 text"
	case strings.TrimSpace(text) == "" && !mayBeEmpty:
		reason = "empty"
	default:
		return text, true, nil
	}
	f.leaveOut(name, reason)
	return "", false, nil
}
