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

// A Precondition is the required state of a path before a write: any (""), no file ([Missing]), or a
// file with a certain [Digest].
type Precondition string

// Missing requires that there is no file yet.
const Missing Precondition = "none"

// Digest requires a file with this content: its SHA-256 in hexadecimal digits.
func Digest(content []byte) Precondition {
	sum := sha256.Sum256(content)
	return Precondition(hex.EncodeToString(sum[:]))
}

func (p Precondition) isDigest() bool { return p != "" && p != Missing }

// convertNotFound converts the error for a missing folder if a file is required.
func (p Precondition) convertNotFound(path string, err error) error {
	var missing *PathError
	if errors.As(err, &missing) && missing.Kind == NotFound && p.isDigest() {
		return newChangedError(path, notThere)
	}
	return err
}

// maxDigestBytes is the maximum size of a file whose digest is computed, in bytes.
const maxDigestBytes = 64 << 20

// Reasons for an unmet precondition.
const (
	alreadyThere = "the file already exists"
	notThere     = "there is no such file"
	otherContent = "its content has changed"
)

func newChangedError(path, why string) *PathError {
	return &PathError{Kind: Changed, Path: path, Reason: why}
}

// checkPrecondition returns an error unless the file at a location meets want.
func (r *Root) checkPrecondition(path string, at location, want Precondition) error {
	if want == "" {
		return nil
	}
	f, err := at.dir.OpenFile(at.name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && want == Missing:
		return nil
	case missing:
		return newChangedError(path, notThere)
	case err != nil:
		return newPathError(path, err)
	}
	defer f.Close()
	if want == Missing {
		return newChangedError(path, alreadyThere)
	}
	named, err := at.dir.Lstat(at.name)
	if err != nil {
		return newPathError(path, err)
	}
	if err := r.checkOpened(path, f, named); err != nil {
		return err
	}
	return compareDigest(path, f, want)
}

// compareDigest returns an error unless a file has the digest want.
func compareDigest(path string, f io.Reader, want Precondition) error {
	sum, _, err := digestOf(path, f)
	switch {
	case err != nil:
		return err
	case string(sum) != strings.ToLower(string(want)):
		return newChangedError(path, otherContent)
	}
	return nil
}

// digestOf returns the digest and the size of a file of up to [maxDigestBytes] bytes.
func digestOf(path string, f io.Reader) (Precondition, int64, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, maxDigestBytes+1))
	switch {
	case err != nil:
		return "", 0, newPathError(path, err)
	case n > maxDigestBytes:
		return "", 0, &PathError{Kind: TooLarge, Path: path, Reason: fmt.Sprintf("it is larger than %d bytes, the limit for comparison", maxDigestBytes)}
	}
	return Precondition(hex.EncodeToString(sum.Sum(nil))), n, nil
}
