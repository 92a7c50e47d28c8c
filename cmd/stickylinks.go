package cmd

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is the maximum number of links in a path, as on Linux.
const maxLinks = 40

// checkStickyLinks refuses a path through another user's link in a sticky world-writable folder such as /tmp. Linux does so
// with fs.protected_symlinks, but not for renames.
func checkStickyLinks(name string) error {
	if !filepath.IsAbs(name) {
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		name = dir + "/" + name // not cleaned: .. is relative to the target of a link
	}
	at, rest := "/", strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		if part == "" {
			continue
		}
		next := filepath.Join(at, part)
		info, err := os.Lstat(next)
		switch {
		case err != nil:
			return nil // opening the file reports the error
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		case isLinkOfStranger(at, info):
			return fmt.Errorf("%s is a link of another user in a world-writable folder, and is not followed", next)
		}
		if links++; links > maxLinks {
			return fmt.Errorf("%s leads through more than %d links", name, maxLinks)
		}
		to, err := os.Readlink(next)
		if err != nil {
			return err
		}
		if filepath.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return nil
}

// isLinkOfStranger reports whether a link in a sticky world-writable folder belongs neither to us nor to the owner of the
// folder.
func isLinkOfStranger(dir string, link fs.FileInfo) bool {
	folder, err := os.Stat(dir)
	if err != nil || folder.Mode()&fs.ModeSticky == 0 || folder.Mode().Perm()&0o002 == 0 {
		return false
	}
	of, ok := link.Sys().(*syscall.Stat_t)
	in, both := folder.Sys().(*syscall.Stat_t)
	return ok && both && of.Uid != uint32(os.Geteuid()) && of.Uid != in.Uid
}
