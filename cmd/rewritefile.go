package cmd

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"oneshot/pkg/atomicfile"
)

// errFileChanged reports that another program has changed a file since it was read.
var errFileChanged = errors.New("the file has changed since it was read, and was not replaced")

// A fileRewriter replaces a file by its fixed text, atomically. It writes nothing before the first part that differs.
type fileRewriter struct {
	console *console
	name    string
	src     *os.File
	before  fs.FileInfo // of src, before it is read
	equal   int64       // bytes before the first part that differs
	to      *outputFile
	pending *atomicfile.PendingFile // nil: no part differs so far
	text    *bufio.Writer           // to pending
}

// newFileRewriter returns the output for a file that is read next.
func newFileRewriter(t *console, name string) (_ *fileRewriter, err error) {
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, readError(name, err)
	}
	if !info.Mode().IsRegular() || isDescriptor(name) {
		return nil, usagef("name a regular file", "--write: %s is not a regular file", name)
	}
	head := make([]byte, 2)
	if _, err := f.ReadAt(head, 0); err == nil && isGzip(head) { // the next read returns an error
		return nil, usagef("decompress it first", "--write: %s is compressed", name)
	}
	return &fileRewriter{console: t, name: name, src: f, before: info}, nil
}

func (w *fileRewriter) add(old, fixed []byte) error {
	if w.pending == nil && bytes.Equal(old, fixed) {
		w.equal += int64(len(old))
		return nil
	}
	if w.pending == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	_, err := w.text.Write(fixed)
	return w.to.writeError(err)
}

// begin opens the new file, and copies the parts before the first one that differs. They are not read by name: meanwhile another
// user of the folder could replace the file by a link to one that only this user can read.
func (w *fileRewriter) begin() (err error) {
	if w.to, err = resolveOutputFile("--write", w.name); err != nil {
		return err
	}
	if err := checkWritable(w.to.path); err != nil { // a rename would replace a read-only file, too
		return err
	}
	if w.pending, err = atomicfile.NewPendingFile(w.to.path, newFileMode, "a fixed file"); err != nil {
		return w.to.writeError(err)
	}
	w.text = bufio.NewWriterSize(w.pending, 64<<10)
	if _, err = io.CopyN(w.text, io.NewSectionReader(w.src, 0, w.equal), w.equal); errors.Is(err, io.EOF) {
		err = errFileChanged
	}
	return w.to.writeError(err)
}

func (w *fileRewriter) finish(fixes int) error {
	if w.pending == nil {
		return nil
	}
	err := w.text.Flush()
	if err == nil {
		err = w.pending.Commit(w.checkUnchanged)
	}
	if err != nil {
		return w.to.writeError(err)
	}
	noun := "fixes"
	if fixes == 1 {
		noun = "fix"
	}
	w.console.note("fixed %s: %d %s", w.name, fixes, noun)
	return nil
}

// checkUnchanged returns an error if the file is not the one that was read, or has changed since. Together with the rename
// it is not atomic: the time in between is a few microseconds.
func (w *fileRewriter) checkUnchanged() error {
	now, err := os.Stat(w.to.path)
	if err != nil || !os.SameFile(now, w.before) || now.Size() != w.before.Size() || !now.ModTime().Equal(w.before.ModTime()) {
		return errFileChanged
	}
	return nil
}

func (w *fileRewriter) discard() {
	_ = w.src.Close() // it was only read
	if w.pending != nil {
		w.pending.Discard()
	}
}
