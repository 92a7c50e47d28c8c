package fileroot

import (
	"bytes"
	"io"
)

// A Replaceable is a file that [Root.Write] would replace.
type Replaceable struct {
	Digest Precondition
	Bytes  int64
	Head   []byte // first bytes of the content
}

// Replaceable describes the file that [Root.Write] would replace, with at most head bytes of its content. It reads
// only writable files: none behind a link, and no denied or protected ones. Its error is a *[PathError], of the
// kind [NotFound] if Write would create a new file.
func (r *Root) Replaceable(path string, head int64) (Replaceable, error) {
	return retryIfReplaced(func() (Replaceable, error) { return r.replaceable(path, head) })
}

func (r *Root) replaceable(path string, head int64) (Replaceable, error) {
	clean, err := Clean(path)
	if err != nil {
		return Replaceable{}, err
	}
	if why := r.protectedReason(clean); why != "" {
		return Replaceable{}, &PathError{Kind: Refused, Path: path, Reason: why}
	}
	f, err := r.openResolved(path)
	if err != nil {
		return Replaceable{}, err
	}
	defer f.Close()
	begin, err := io.ReadAll(io.LimitReader(f, head))
	if err != nil {
		return Replaceable{}, newPathError(path, err)
	}
	sum, size, err := digestOf(path, io.MultiReader(bytes.NewReader(begin), f))
	return Replaceable{Digest: sum, Bytes: size, Head: begin}, err
}
