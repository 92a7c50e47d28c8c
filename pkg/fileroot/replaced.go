package fileroot

import (
	"bytes"
	"io"
)

// A Replaceable is a file that [Root.Write] would replace.
type Replaceable struct {
	Digest Precondition
	Bytes  int64
	Head   []byte // its first bytes
}

// Replaceable describes the file that [Root.Write] would replace at a path, with at most head of its bytes.
// It reads no file that cannot be written: one behind a link, a denied one, or a protected one. Its error is a
// *[PathError], of the kind [NotFound] where Write would make a new file.
func (r *Root) Replaceable(path string, head int64) (Replaceable, error) {
	return undisturbed(func() (Replaceable, error) { return r.replaceable(path, head) })
}

func (r *Root) replaceable(path string, head int64) (Replaceable, error) {
	clean, err := Clean(path)
	if err != nil {
		return Replaceable{}, err
	}
	if why := r.protection(clean); why != "" {
		return Replaceable{}, &PathError{Kind: Refused, Path: path, Reason: why}
	}
	f, err := r.openResolved(path)
	if err != nil {
		return Replaceable{}, err
	}
	defer f.Close()
	begin, err := io.ReadAll(io.LimitReader(f, head))
	if err != nil {
		return Replaceable{}, failure(path, err)
	}
	sum, size, err := digestOf(path, io.MultiReader(bytes.NewReader(begin), f))
	return Replaceable{Digest: sum, Bytes: size, Head: begin}, err
}
