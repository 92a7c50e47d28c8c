package runfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"oneshot/pkg/quote"
)

// crcTable returns the table of CRC-32C. It is not a package variable because building it would slow down every start.
func crcTable() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// A line ends with crcOpen, eight hexadecimal digits and crcClose.
const (
	crcOpen  = `,"crc":"`
	crcClose = `"}`
	crcSize  = len(crcOpen) + 8 + len(crcClose)
)

// A SizeError reports that a record exceeds [MaxLine]. Nothing was written, and the writer remains usable.
type SizeError struct {
	Kind Kind
	Size int // bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("run file: a %s record of %d bytes exceeds the limit of %d bytes", e.Kind, e.Size, MaxLine)
}

// encode writes the line of a record to an empty buffer.
func encode(buf *bytes.Buffer, h Header, body Body) error {
	if err := encodeMembers(buf, h, body); err != nil {
		return err
	}
	fmt.Fprintf(buf, "%s%08x%s\n", crcOpen, crc32.Checksum(buf.Bytes(), crcTable()), crcClose)
	if buf.Len() > MaxLine {
		return &SizeError{Kind: h.Kind, Size: buf.Len()}
	}
	return nil
}

// MarshalJSON returns the record as an object, with references expanded.
func (r Record) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	if err := encodeMembers(&buf, r.Header, r.Body); err != nil {
		return nil, err
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// encodeMembers writes a record to an empty buffer as an object without its closing brace.
func encodeMembers(buf *bytes.Buffer, h Header, body Body) error {
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
	buf.Bytes()[join] = ',' // overwrites the body's opening brace
	buf.Truncate(buf.Len() - len("}\n"))
	return nil
}

// TruncateResult returns the body as a record holds it: with result data limited to [MaxResult] bytes.
func TruncateResult(body Body) Body {
	r, ok := body.(Result)
	if !ok || len(r.Result.Data) <= MaxResult {
		return body
	}
	r.Truncated, r.Bytes = true, len(r.Result.Data)
	r.Result.Data = quote.Encoded(quote.ValidPrefix(string(r.Result.Data), MaxResult))
	return r
}
