package lint

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"oneshot/pkg/diag"
	"oneshot/pkg/provider"
)

// SplitCapture reads a captured file: JSON Lines in chunks of whole lines with [Chunk.Records] set, any
// other file as one chunk. A file that is not JSON Lines may have at most limit bytes; a larger one
// yields [ErrTooLarge].
func SplitCapture(r io.Reader, limit int, o Options) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		head, err := readPrefix(r, limit)
		if err == nil && o.isJSONLinesPrefix(head) {
			for c, err := range SplitLines(io.MultiReader(bytes.NewReader(head), r)) {
				c.Records = true
				if !yield(c, err) {
					return
				}
			}
			return
		}
		if err == nil {
			var rest []byte
			rest, err = io.ReadAll(io.LimitReader(r, int64(limit+1-len(head))))
			head = append(head, rest...)
		}
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			yield(Chunk{}, err)
		case len(head) > limit:
			yield(Chunk{}, ErrTooLarge)
		default:
			yield(Chunk{Text: diag.Text{Bytes: head}, Records: o.isJSONLines(head)}, nil)
		}
	}
}

// ErrTooLarge is the error for a file over the limit that is not JSON Lines.
var ErrTooLarge = errors.New("the file is too large")

// detectBytes is the size of the prefix from which JSON Lines are detected.
const detectBytes = 64 << 10

// readPrefix reads the beginning of a file: at least two lines, within the limit. The error is
// [io.EOF] if the file ends there.
func readPrefix(r io.Reader, limit int) ([]byte, error) {
	head := make([]byte, 0, detectBytes)
	for lines := 0; len(head) < detectBytes || lines < 2 && len(head) <= limit; {
		if len(head) == cap(head) {
			head = append(make([]byte, 0, 2*cap(head)), head...)
		}
		n, err := r.Read(head[len(head):cap(head)])
		lines += bytes.Count(head[len(head):len(head)+n], []byte("\n"))
		head = head[:len(head)+n]
		if err != nil {
			return head, err
		}
	}
	return head, nil
}

// IsLargeJSONLines reports whether a file of more bytes than the limit is JSON Lines, so that [SplitCapture]
// can read it. It reads only the beginning.
func (o Options) IsLargeJSONLines(r io.Reader, limit int) bool {
	head, err := readPrefix(r, limit)
	return err == nil && o.isJSONLinesPrefix(head)
}

// isJSONLinesPrefix reports whether the beginning of a file is JSON Lines.
func (o Options) isJSONLinesPrefix(head []byte) bool {
	return o.isJSONLines(head[:bytes.LastIndexByte(head, '\n')+1])
}

// isJSONLines reports whether a text is records in JSON Lines: an object on each line, but not a
// server's body, a run file, or calls only. Lines may be damaged if another is valid. A single
// object is a record only if one of [responseKeys] holds calls in it.
func (o Options) isJSONLines(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	if !isLikelyJSON(text) || o.Protocol != nil || IsRunFile(text) {
		return false
	}
	if provider.DetectProtocol(text) != nil {
		return false
	}
	objects, valid, isCalls := 0, 0, true
	for line := range bytes.Lines(text) {
		if line = bytes.Trim(line, blanks); len(line) == 0 {
			continue
		}
		if line[0] != '{' {
			return false
		}
		if isJSONLine(line) {
			valid++
			isCalls = isCalls && len(o.readText(line).calls) > 0
		}
		objects++
	}
	if objects == 1 && valid == 1 && !isCalls {
		_, calls := o.knownMembers(text)
		return len(calls) > 0
	}
	return objects > 1 && valid > 0 && !isCalls
}
