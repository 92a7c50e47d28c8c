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

// A Glance is what the first and the last records of a run file say.
type Glance struct {
	First Record // with a [Run]
	Last  Record // whole texts are missing where it has references
	Turn  int    // of the last record that names one, among the last ones
}

// tailBytes is how much of the end of a run file a glance reads, as far as the last record is not longer.
const tailBytes = 4 << 10

// ReadGlance reads the first and the last records of the run file of that name, whatever its size. It reports
// false where only all of the records say more: see [ReadFile].
func ReadGlance(path string) (g Glance, ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Glance{}, false, fmt.Errorf("run file: %w", err)
	}
	ok, err = g.read(f)
	return g, ok, errors.Join(err, f.Close())
}

func (g *Glance) read(f *os.File) (ok bool, err error) {
	head, err := ReadFirst(f)
	if err != nil || len(head.Records) == 0 {
		return false, err
	}
	g.First = head.Records[0]
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	for size := int64(tailBytes); ; size *= 8 {
		from := max(0, info.Size()-size)
		tail := make([]byte, info.Size()-from)
		if _, err := f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if g.take(tail) {
			return true, nil
		}
		if from == 0 || size > MaxLine {
			return false, nil
		}
	}
}

// Last returns the last whole record of the run file of that name, without a body if there is none, and when the file
// was written last. It reads no more than a [Glance] where that says enough.
func Last(path string) (last Record, written time.Time, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Record{}, time.Time{}, fmt.Errorf("run file: %w", err)
	}
	defer f.Close()
	return lastOf(f)
}

func lastOf(f *os.File) (last Record, written time.Time, err error) {
	info, err := f.Stat()
	if err != nil {
		return Record{}, time.Time{}, err
	}
	var g Glance
	if ok, err := g.read(f); ok && err == nil {
		return g.Last, info.ModTime(), nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Record{}, time.Time{}, err
	}
	scan := NewScan(f)
	for r := range scan.Records() {
		last = r
	}
	if scan.Err == nil && scan.Torn != nil && scan.Torn.Alien { // who knows whose it is
		log := Log{Torn: scan.Torn}
		scan.Err = log.Empty()
	}
	return last, info.ModTime(), scan.Err
}

// take reads the last records in the end of a file, and reports whether the last one and one that names a turn
// are whole in it.
func (g *Glance) take(tail []byte) bool {
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
		if !wholeRecord(text) || json.Unmarshal(text, &about) != nil || about.Run != g.First.Run || decoders[about.Kind] == nil {
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
