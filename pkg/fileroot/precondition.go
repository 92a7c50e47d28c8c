package fileroot

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// A Precondition is what has to be at a path for it to be written: nothing in particular (""), no
// file ([Missing]), or a file with a certain [Digest].
type Precondition string

// Missing wants that there is no file yet.
const Missing Precondition = "none"

// Digest returns what wants a file to have this content: its SHA-256 in hexadecimal digits.
func Digest(content []byte) Precondition {
	sum := sha256.Sum256(content)
	return Precondition(hex.EncodeToString(sum[:]))
}

// isDigest reports whether a file is wanted.
func (p Precondition) isDigest() bool { return p != "" && p != Missing }

// unmet returns the error for a folder in which there would be no such file.
func (p Precondition) unmet(path string, err error) error {
	var missing *PathError
	if errors.As(err, &missing) && missing.Kind == NotFound && p.isDigest() {
		return changed(path, notThere)
	}
	return err
}

// maxCompared is the size of the largest file whose digest is taken, in bytes.
const maxCompared = 64 << 20

// Why something is not what was wanted.
const (
	alreadyThere = "there is a file already"
	notThere     = "there is no such file"
	otherContent = "its content is not the one that was to be replaced"
)

func changed(path, why string) *PathError { return &PathError{Kind: Changed, Path: path, Reason: why} }

// holds returns nil if what is at a place is what is wanted there.
func (r *Root) holds(path string, at place, want Precondition) error {
	if want == "" {
		return nil
	}
	f, err := at.dir.OpenFile(at.name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && want == Missing:
		return nil
	case missing:
		return changed(path, notThere)
	case err != nil:
		return failure(path, err)
	}
	defer f.Close()
	if want == Missing {
		return changed(path, alreadyThere)
	}
	named, err := at.dir.Lstat(at.name)
	if err != nil {
		return failure(path, err)
	}
	if err := r.confirm(path, f, named); err != nil {
		return err
	}
	return compare(path, f, want)
}

// compare returns nil if a file has the content that is wanted.
func compare(path string, f io.Reader, want Precondition) error {
	sum, _, err := digestOf(path, f)
	switch {
	case err != nil:
		return err
	case string(sum) != strings.ToLower(string(want)):
		return changed(path, otherContent)
	}
	return nil
}

// digestOf returns the digest and the size of a file of up to [maxCompared] bytes.
func digestOf(path string, f io.Reader) (Precondition, int64, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, maxCompared+1))
	switch {
	case err != nil:
		return "", 0, failure(path, err)
	case n > maxCompared:
		return "", 0, &PathError{Kind: TooLarge, Path: path, Reason: fmt.Sprintf("it is larger than %d bytes, the most that are compared", maxCompared)}
	}
	return Precondition(hex.EncodeToString(sum.Sum(nil))), n, nil
}
