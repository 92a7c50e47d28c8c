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

// CheckStart returns an error if a program cannot start in the sandboxes because they do not allow reading its loader or
// its script interpreter. Its own file is always allowed. Missing libraries are reported by the loader, a missing
// program by [Confinement.Run].
func (c *Confinement) CheckStart(name string) error {
	path := name
	if !filepath.IsAbs(name) {
		found, err := c.searchFolders(name)
		if err != nil {
			return nil
		}
		path = found
	}
	return c.checkLoaders(path)
}

func (c *Confinement) checkLoaders(path string) error {
	c.resolving.Do(c.resolve)
	has := Supported()
	for _, box := range c.resolved {
		if box.Optional && has.Landlock < minLandlock {
			continue
		}
		for _, reader := range interpreters(path) {
			if !box.canRead(reader) {
				return &StartError{Kind: Unsupported, Err: fmt.Errorf("it needs %s to start, which the sandbox does not allow it to read", reader)}
			}
		}
	}
	return nil
}

// canRead reports whether a sandbox allows reading a file, which may be a link.
func (s sandbox) canRead(path string) bool {
	target, err := filepath.EvalSymlinks(path)
	if err != nil || !filepath.IsAbs(path) {
		return true // missing, or relative to the working directory: running it reports the error
	}
	return slices.ContainsFunc(slices.Concat(s.Read, s.Write), func(in base64Text) bool {
		rel, err := filepath.Rel(string(in), target)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
	})
}

// maxInterpreters is the kernel's limit of nested interpreters: see execve(2).
const maxInterpreters = 5

// interpreters returns the programs that the kernel starts to run a program: script interpreters, and the loader of the
// last one.
func interpreters(path string) (all []string) {
	for range maxInterpreters {
		next := interpreterOf(path)
		if next == "" {
			break
		}
		all, path = append(all, next), next
	}
	return all
}

// interpreterOf returns the interpreter or loader of a program, or "" if it has none or is not readable. The file is
// untrusted and may not be a regular file.
func interpreterOf(path string) string {
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
	return elfInterpreter(f)
}

// elfInterpreter returns the loader that a 64-bit ELF file names, or "".
func elfInterpreter(f io.ReaderAt) string {
	var head elf.Header64
	if readStruct(f, 0, &head) != nil || string(head.Ident[:5]) != elf.ELFMAG+string(rune(elf.ELFCLASS64)) {
		return ""
	}
	for i := range min(int64(head.Phnum), maxProgramHeaders) {
		var p elf.Prog64
		if readStruct(f, int64(head.Phoff)+i*int64(head.Phentsize), &p) != nil {
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

// maxProgramHeaders is the maximum number of program headers read; a dozen is usual.
const maxProgramHeaders = 256

// readStruct reads a fixed-size struct at an offset.
func readStruct(f io.ReaderAt, at int64, into any) error {
	return binary.Read(io.NewSectionReader(f, at, 64), binary.LittleEndian, into)
}
