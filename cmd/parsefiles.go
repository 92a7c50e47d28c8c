package cmd

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math"

	"github.com/spf13/pflag"

	"oneshot/pkg/lint"
)

// fieldFlags adds the flags with paths into JSON lines.
func fieldFlags(f *pflag.FlagSet, fields *lint.FieldPaths) {
	f.StringVar(&fields.Response, "field", "", "read each line of a FILE as JSON, with the response at `PATH` (gjson syntax), e.g. --field response.body")
	f.StringVar(&fields.Tools, "tools-field", "", "take a record's tools, a list of OpenAI functions, from `PATH`")
	f.StringVar(&fields.Dialect, "dialect-field", "", "take a record's dialect from `PATH`")
	f.StringVar(&fields.ID, "id-field", "", "take a record's ID from `PATH`")
}

// checkFields refuses invalid paths, and paths without --field.
func (o *parseOptions) checkFields() error {
	for _, f := range []struct{ flag, path string }{
		{"--field", o.fields.Response}, {"--tools-field", o.fields.Tools}, {"--dialect-field", o.fields.Dialect}, {"--id-field", o.fields.ID},
	} {
		if err := lint.CheckGJSONPath(f.path); err != nil {
			return usagef("close it, or escape a literal character with \\", "%s: %v", f.flag, err)
		}
		if f.path != "" && o.fields.Response == "" {
			return usagef("add --field with the path of the response", "%s needs --field", f.flag)
		}
	}
	return nil
}

// A piece is the unit of work: a file, or some lines of one.
type piece struct {
	number int // of the file
	name   string
	lint.Chunk
	record *lint.ParseResult // of a large run file, already read in order
}

// A parsedPiece is the parsed records of a piece, and their printed report.
type parsedPiece struct {
	piece
	records []lint.ParseResult // to print in order
	text    *bytes.Buffer
	sums
}

// lint reads the named files and prints their report. Except for jsonl, it checks that files are readable before it
// prints anything.
func (o *parseOptions) lint(ctx context.Context, args []string, options lint.Options) error {
	if err := o.checkReadable(args); err != nil {
		return err
	}
	read, report := o.reader(options), o.newReport()
	work := func(p piece) *parsedPiece {
		b := report.newPiece(p)
		var r lint.ParseResult
		for r = range read(p) {
			if report.ordered {
				b.records = append(b.records, r)
			} else {
				report.printToPiece(b, &r)
			}
		}
		return b
	}
	if err := mapOrdered(ctx, o.pieces(args, options), work, report.take); err != nil {
		return err
	}
	return report.finish()
}

// checkReadable refuses files that cannot be read.
func (o *parseOptions) checkReadable(args []string) error {
	if o.format == "jsonl" {
		return nil
	}
	return checkFiles(args, math.MaxInt64) // records may be in files of any size
}

// reader returns a function that parses the responses in a piece of a file.
func (o *parseOptions) reader(options lint.Options) func(piece) iter.Seq[lint.ParseResult] {
	records := lint.NewRecordReader(o.fields, options)
	return func(p piece) iter.Seq[lint.ParseResult] {
		switch {
		case p.record != nil:
			return func(yield func(lint.ParseResult) bool) { yield(*p.record) }
		case o.fields.Response != "" || p.Records:
			return records.Read(p.name, p.Chunk)
		}
		return lint.ParseCapture(p.name, p.Bytes, options)
	}
}

// pieces reads the named files in order.
func (o *parseOptions) pieces(args []string, options lint.Options) iter.Seq2[piece, error] {
	return func(yield func(piece, error) bool) {
		for i, name := range args {
			for p, err := range o.piecesOf(name, options) {
				p.number, p.name = i, name
				if !yield(p, err) || err != nil {
					return
				}
			}
		}
	}
}

// piecesOf reads a file: a large run file in records, and any other one in chunks.
func (o *parseOptions) piecesOf(name string, options lint.Options) iter.Seq2[piece, error] {
	return func(yield func(piece, error) bool) {
		switch isLarge, err := isLargeRunFile(name, false); {
		case err != nil:
			yield(piece{}, err)
		case isLarge && o.fields.Response == "":
			runPieces(name, options, yield)
		default:
			for c, err := range o.chunks(name, options) {
				if !yield(piece{Chunk: c}, err) {
					return
				}
			}
		}
	}
}

// runPieces reads a large run file.
func runPieces(name string, options lint.Options, yield func(piece, error) bool) {
	f, err := openFile(name)
	if err != nil {
		yield(piece{}, err)
		return
	}
	defer f.Close()
	for r, err := range lint.ParseRun(name, f, options) {
		if !yield(piece{record: &r}, readError(name, err)) {
			return
		}
	}
}

// chunks reads a file, in whole lines if they are records.
func (o *parseOptions) chunks(name string, options lint.Options) iter.Seq2[lint.Chunk, error] {
	return func(yield func(lint.Chunk, error) bool) {
		f, err := openNamed(o.env, name)
		if err != nil {
			yield(lint.Chunk{}, err)
			return
		}
		defer f.Close()
		chunks := lint.SplitLines(f)
		if o.fields.Response == "" {
			chunks = lint.SplitCapture(f, maxInput, options)
		}
		for c, err := range chunks {
			if err = readError(name, err); errors.Is(err, lint.ErrTooLarge) {
				err = largeInput(name)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
