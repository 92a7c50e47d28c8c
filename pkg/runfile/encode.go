package runfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"
)

// castagnoli returns the table of CRC-32C, which takes longer to make than most packages take to start.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// A line ends with crcOpen, eight hexadecimal digits and crcClose.
const (
	crcOpen  = `,"crc":"`
	crcClose = `"}`
	crcSize  = len(crcOpen) + 8 + len(crcClose)
)

// A SizeError says that a record is too large for a run file. Nothing was
// written, and the writer can be used further.
type SizeError struct {
	Kind Kind
	Size int // bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("run file: a %s record of %d bytes is over the limit of %d bytes", e.Kind, e.Size, MaxLine)
}

// encode writes the line of a record to an empty buffer.
func encode(buf *bytes.Buffer, h Header, body Body) error {
	if err := members(buf, h, body); err != nil {
		return err
	}
	fmt.Fprintf(buf, "%s%08x%s\n", crcOpen, crc32.Checksum(buf.Bytes(), castagnoli()), crcClose)
	if buf.Len() > MaxLine {
		return &SizeError{Kind: h.Kind, Size: buf.Len()}
	}
	return nil
}

// MarshalJSON returns the record as an object, with the whole texts in the place of references.
func (r Record) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	if err := members(&buf, r.Header, r.Body); err != nil {
		return nil, err
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// members writes a record to an empty buffer, as an object that has no end yet.
func members(buf *bytes.Buffer, h Header, body Body) error {
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(h); err != nil {
		return fmt.Errorf("run file: header of a %s record: %w", h.Kind, err)
	}
	buf.Truncate(buf.Len() - len("}\n"))
	join := buf.Len()
	if err := enc.Encode(body); err != nil {
		return fmt.Errorf("run file: %s record: %w", h.Kind, err)
	}
	buf.Bytes()[join] = ',' // in the place of the body's opening brace
	buf.Truncate(buf.Len() - len("}\n"))
	return nil
}

// kept returns the body as it is recorded.
func kept(body Body) Body {
	r, ok := body.(Result)
	if !ok || len(r.Result.Data) <= MaxResult {
		return body
	}
	r.Truncated, r.Bytes = true, len(r.Result.Data)
	r.Result.Data = quote(strings.ToValidUTF8(string(r.Result.Data[:MaxResult]), ""))
	return r
}

// quote returns s as a JSON string.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always has a JSON form
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
