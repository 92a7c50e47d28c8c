package fileroot

import (
	"bytes"
	"io"
)

// A BeforeImage is a file that [Root.Write] would replace.
type BeforeImage struct {
	Digest Precondition
	Bytes  int64
	Head   []byte // first bytes of the content
}

// BeforeImage describes the file that [Root.Write] would replace, with at most head bytes of its content. It reads
// only writable files: none behind a link, and no denied or protected ones. Its error is a *[PathError], of the
// kind [NotFound] if Write would create a new file.
func (r *Root) BeforeImage(path string, head int64) (BeforeImage, error) {
	return retryIfReplaced(func() (BeforeImage, error) { return r.beforeImage(path, head) })
}

func (r *Root) beforeImage(path string, head int64) (BeforeImage, error) {
	clean, err := Clean(path)
	if err != nil {
		return BeforeImage{}, err
	}
	if why := r.protectedReason(clean); why != "" {
		return BeforeImage{}, &PathError{Kind: Refused, Path: path, Reason: why}
	}
	f, err := r.openNoFollow(path)
	if err != nil {
		return BeforeImage{}, err
	}
	defer f.Close()
	begin, err := io.ReadAll(io.LimitReader(f, head))
	if err != nil {
		return BeforeImage{}, newPathError(path, err)
	}
	sum, size, err := digestOf(path, io.MultiReader(bytes.NewReader(begin), f))
	return BeforeImage{Digest: sum, Bytes: size, Head: begin}, err
}
