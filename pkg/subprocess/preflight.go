package subprocess

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Begins says why a program cannot begin in the sandboxes, or nil: what reads it, its loader or the
// interpreter of a script, is not among what they let it read. Its own file always is. Which
// libraries it needs besides is for its loader to say, and a program that is not there for [Confinement.Run].
func (c *Confinement) Begins(name string) error {
	path := name
	if !filepath.IsAbs(name) {
		found, err := c.search(name)
		if err != nil {
			return nil
		}
		path = found
	}
	return c.begins(path)
}

func (c *Confinement) begins(path string) error {
	c.resolving.Do(c.resolve)
	has := Supported()
	for _, box := range c.resolved {
		if box.Optional && has.Landlock < leastLandlock {
			continue
		}
		for _, reader := range readers(path) {
			if !box.reads(reader) {
				return &StartError{Kind: Unsupported, Err: fmt.Errorf("it needs %s to begin, which the sandbox does not let it read", reader)}
			}
		}
	}
	return nil
}

// reads reports whether a sandbox lets a program read a file, which may be named by a link.
func (s sandbox) reads(path string) bool {
	target, err := filepath.EvalSymlinks(path)
	if err != nil || !filepath.IsAbs(path) {
		return true // it is not there, or depends on the folder: running it tells
	}
	return slices.ContainsFunc(slices.Concat(s.Read, s.Write), func(in exact) bool {
		rel, err := filepath.Rel(string(in), target)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
	})
}

// mostReaders is how many interpreters of interpreters the kernel starts: see execve(2).
const mostReaders = 5

// readers returns what the kernel starts to read a program: the interpreters of a script, and the
// loader of the last.
func readers(path string) (all []string) {
	for range mostReaders {
		next := reader(path)
		if next == "" {
			break
		}
		all, path = append(all, next), next
	}
	return all
}

// reader returns what reads a program, or "": nothing does, or it cannot be told. The file can have
// been made by anybody, also to be no file.
func reader(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	line, _ := bufio.NewReader(io.NewSectionReader(f, 0, 256)).ReadString('\n')
	if text, script := strings.CutPrefix(line, "#!"); script {
		words := strings.Fields(text)
		return strings.Join(words[:min(1, len(words))], "")
	}
	return loader(f)
}

// loader returns the one that an ELF file of 64 bits names, or "".
func loader(f io.ReaderAt) string {
	var head elf.Header64
	if part(f, 0, &head) != nil || string(head.Ident[:5]) != elf.ELFMAG+string(rune(elf.ELFCLASS64)) {
		return ""
	}
	for i := range min(int64(head.Phnum), mostParts) {
		var p elf.Prog64
		if part(f, int64(head.Phoff)+i*int64(head.Phentsize), &p) != nil {
			return ""
		}
		if elf.ProgType(p.Type) == elf.PT_INTERP {
			name, err := io.ReadAll(io.NewSectionReader(f, int64(p.Off), min(int64(p.Filesz), 4096)))
			if err != nil {
				return ""
			}
			return strings.TrimRight(string(name), "\x00")
		}
	}
	return ""
}

// mostParts is how many parts of a program are looked at; usual are a dozen.
const mostParts = 256

func part(f io.ReaderAt, at int64, into any) error {
	return binary.Read(io.NewSectionReader(f, at, 64), binary.LittleEndian, into)
}
