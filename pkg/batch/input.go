// Package batch reads the records of a batch, works on several at a time, and appends one line for each to its output.
//
// The output is the state of a batch: a record that has a line is done. Lines are appended whole and durably, so a killed
// batch leaves a prefix of its lines and at most one torn last line.
package batch

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxRecord is the maximum size of a record in bytes.
const MaxRecord = 16 << 20

// maxID is the maximum length of an ID in bytes.
const maxID = 1 << 10

// A Format is the format of the input.
type Format string

// The formats of the input.
const (
	JSONL Format = "jsonl" // one JSON object per line
	CSV   Format = "csv"   // the first line has the names of the fields
)

// A Record is a record of the input.
type Record struct {
	ID     string
	Index  int // from 1
	Line   int // on which it begins, from 1
	Fields []Field
	Digest string // "sha256:" and the digest of its text in hexadecimal digits
}

// A Field is a named value. A value that is not a string is JSON.
type Field struct{ Name, Value string }

// Field returns the value of a field. A JSON null counts as no value.
func (r Record) Field(name string) (value string, ok bool) {
	for _, f := range r.Fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return "", false
}

// A RecordError reports a record that cannot be used. The records after it can be read.
type RecordError struct {
	Line int // from 1
	Why  string
}

func (e *RecordError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Why) }

// ReadRecords yields the records of an input. The ID of a record is its field idField; without one it is the line on which
// the record begins, unless needsID. An error is a *[RecordError], after which more records follow, or ends the input.
func ReadRecords(src io.Reader, format Format, idField string, needsID bool) iter.Seq2[Record, error] {
	text := bufio.NewReaderSize(src, 64<<10)
	if begin, _ := text.Peek(3); string(begin) == "\xef\xbb\xbf" { // a byte-order mark
		_, _ = text.Discard(3) // it was peeked
	}
	records := jsonLinesRecords(text)
	if format == CSV {
		records = csvRecords(text)
	}
	return func(yield func(Record, error) bool) {
		index := 0
		for r, err := range records {
			index++
			r.Index = index
			if err == nil {
				err = r.setID(idField, needsID)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// setID sets the ID of a record.
func (r *Record) setID(field string, isNeeded bool) error {
	id, ok := r.Field(field)
	switch {
	case !ok && isNeeded:
		return &RecordError{r.Line, fmt.Sprintf("the record has no field %q", field)}
	case !ok:
		id = strconv.Itoa(r.Line)
	case id == "":
		return &RecordError{r.Line, fmt.Sprintf("field %q is empty", field)}
	case len(id) > maxID:
		return &RecordError{r.Line, fmt.Sprintf("field %q has %d bytes, more than %d", field, len(id), maxID)}
	}
	r.ID = id
	return nil
}

// digestOf returns the digest of a text.
func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// jsonLinesRecords yields the objects of JSON Lines without their IDs. Blank lines are skipped.
func jsonLinesRecords(src *bufio.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for number := 1; ; number++ {
			line, isLong, err := readLine(src, MaxRecord)
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Record{Line: number}, err)
				return
			}
			more := true
			switch text := bytes.TrimSpace(line); {
			case isLong:
				more = yield(Record{Line: number}, tooLong(number))
			case len(text) > 0:
				r, err := parseObject(text, number)
				more = yield(r, err)
			}
			if err != nil || !more {
				return
			}
		}
	}
}

func tooLong(line int) error {
	return &RecordError{line, fmt.Sprintf("the record has more than %d MiB", MaxRecord>>20)}
}

// readLine reads a line. A line of more than most bytes is skipped.
func readLine(src *bufio.Reader, most int) (line []byte, isLong bool, err error) {
	for {
		part, err := src.ReadSlice('\n')
		if isLong = isLong || len(line)+len(part) > most; isLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, isLong, err
		}
	}
}

// parseObject parses a JSON object. Null members are left out.
func parseObject(text []byte, line int) (Record, error) {
	r := Record{Line: line, Digest: digestOf(text)}
	fail := func(why string) (Record, error) { return r, &RecordError{line, why} }
	if !jsontext.Value(text).IsValid() {
		var syntax *jsontext.SyntacticError
		dec := jsontext.NewDecoder(bytes.NewReader(text))
		if _, err := dec.ReadValue(); errors.As(err, &syntax) {
			return fail(fmt.Sprintf("invalid JSON: column %d: %v", utf8.RuneCount(text[:syntax.ByteOffset])+1, syntax.Err))
		}
		return fail("expected one JSON object")
	}
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	if first, err := dec.ReadToken(); err != nil || first.Kind() != '{' {
		return fail("expected a JSON object")
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return fail(err.Error())
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return fail(err.Error())
		}
		switch value.Kind() {
		case 'n':
		case '"':
			var s string
			if err := json.Unmarshal(value, &s); err != nil {
				return fail(err.Error())
			}
			r.Fields = append(r.Fields, Field{key, s})
		default:
			if err := value.Compact(); err != nil {
				return fail(err.Error())
			}
			r.Fields = append(r.Fields, Field{key, string(value)})
		}
	}
	return r, nil
}

// csvRecords yields the rows of a CSV file as records without their IDs.
func csvRecords(src *bufio.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		limited := &limitedReader{src: src, left: MaxRecord}
		rows := csv.NewReader(limited)
		names, err := rows.Read()
		if err == nil {
			err = checkHeader(names)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				yield(Record{Line: 1}, fmt.Errorf("line 1: the names of the fields: %w", withoutPlace(err)))
			}
			return
		}
		for {
			limited.left = MaxRecord
			row, err := rows.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			var parse *csv.ParseError
			r := Record{}
			switch {
			case err == nil:
				r.Line, _ = rows.FieldPos(0)
				err = r.setRow(names, row)
			case errors.As(err, &parse):
				r.Line = parse.StartLine
				err = &RecordError{r.Line, withoutPlace(err).Error()}
			}
			if !yield(r, err) || err != nil && !errors.As(err, new(*RecordError)) {
				return
			}
		}
	}
}

// setRow sets the fields of a record.
func (r *Record) setRow(names, row []string) error {
	for i, name := range names {
		if !utf8.ValidString(row[i]) {
			return &RecordError{r.Line, fmt.Sprintf("field %q is not UTF-8 text", name)}
		}
		r.Fields = append(r.Fields, Field{name, row[i]})
	}
	text, err := json.Marshal(r.Fields)
	r.Digest = digestOf(text)
	return err
}

// withoutPlace returns the cause of an error of package csv.
func withoutPlace(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return parse.Err
	}
	return err
}

// checkHeader checks the first line of a CSV file.
func checkHeader(names []string) error {
	seen := map[string]bool{}
	for i, name := range names {
		switch {
		case name == "":
			return fmt.Errorf("field %d has no name", i+1)
		case !utf8.ValidString(name):
			return fmt.Errorf("the name of field %d is not UTF-8 text", i+1)
		case seen[name]:
			return fmt.Errorf("two fields are named %q", name)
		}
		seen[name] = true
	}
	return nil
}

// errLongRow is the error of a row that is too long, such as one with an unmatched quote.
var errLongRow = fmt.Errorf("a record has more than %d MiB; a quote may lack its end", MaxRecord>>20)

// A limitedReader limits the bytes that are read for one row, because a quoted field can have many lines.
type limitedReader struct {
	src  io.Reader
	left int // bytes
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errLongRow
	}
	n, err := l.src.Read(p)
	l.left -= n
	return n, err
}
