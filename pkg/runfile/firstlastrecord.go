package runfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// A Summary holds the first and the last record of a run file.
type Summary struct {
	First Record // its body is a [Run]
	Last  Record // its references are not expanded
	Turn  int    // turn of the last records
}

// minTailBytes is the initial number of bytes read at the end of a run file; longer records need more.
const minTailBytes = 4 << 10

// ReadSummary reads the first and the last records of the run file at path, whatever its size. It reports
// false if that does not suffice and the whole file must be read: see [ReadFile].
func ReadSummary(path string) (g Summary, ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Summary{}, false, fmt.Errorf("run file: %w", err)
	}
	ok, err = g.readFirstAndLast(f)
	return g, ok, errors.Join(err, f.Close())
}

func (g *Summary) readFirstAndLast(f *os.File) (ok bool, err error) {
	head, err := ReadFirst(f)
	if err != nil || len(head.Records) == 0 {
		return false, err
	}
	g.First = head.Records[0]
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	for size := int64(minTailBytes); ; size *= 8 {
		from := max(0, info.Size()-size)
		tail := make([]byte, info.Size()-from)
		if _, err := f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if g.parseTail(tail) {
			return true, nil
		}
		if from == 0 || size > MaxLine {
			return false, nil
		}
	}
}

// readLast returns the last complete record of a run file, without a body if the file has no record, and the modification time
// of the file. It reads the whole file only if a [Summary] does not suffice.
func readLast(f *os.File) (last Record, written time.Time, err error) {
	info, err := f.Stat()
	if err != nil {
		return Record{}, time.Time{}, err
	}
	var g Summary
	if ok, err := g.readFirstAndLast(f); ok && err == nil {
		return g.Last, info.ModTime(), nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Record{}, time.Time{}, err
	}
	scan := NewScanner(f)
	for r := range scan.Records() {
		last = r
	}
	if scan.Err == nil && scan.Torn != nil && scan.Torn.BadPrefix { // possibly not a run file
		log := Log{Torn: scan.Torn}
		scan.Err = log.CheckNotEmpty()
	}
	return last, info.ModTime(), scan.Err
}

// parseTail parses the last records in the tail of a file. It reports whether the last record and one that names a
// turn are complete in it.
func (g *Summary) parseTail(tail []byte) bool {
	g.Last, g.Turn = Record{}, 0
	if !bytes.HasSuffix(tail, []byte("\n")) {
		return false
	}
	for tail = tail[:len(tail)-1]; ; {
		i := bytes.LastIndexByte(tail, '\n')
		if i < 0 {
			return false
		}
		var about struct {
			Header
			Turn  int `json:"turn"`
			Turns int `json:"turns"`
		}
		text := tail[i+1:]
		if !hasValidChecksum(text) || json.Unmarshal(text, &about) != nil || about.Run != g.First.Run || decoders[about.Kind] == nil {
			return false
		}
		if g.Last.Body == nil {
			body, err := decoders[about.Kind](text)
			if err != nil {
				return false
			}
			g.Last = Record{Header: about.Header, Body: body}
		}
		if g.Turn = about.Turn + about.Turns; g.Turn > 0 || about.Kind == KindEnd {
			return true
		}
		tail = tail[:i]
	}
}
