package lint

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/wire"
)

// Captured reads what was captured in a file: responses, or those of a run.
func Captured(file string, src []byte, o Options) iter.Seq[Record] {
	if IsRun(src) {
		return run(file, src, o)
	}
	return inARow(file, src, o, func(r Record) (Record, diag.Text) { return r, r.Text })
}

// inARow reads responses that stand one behind the other, each on lines of its own, and
// makes something of each record, which stands in a text then. Where there are several,
// the record of each says on which line it begins.
func inARow[T any](file string, src []byte, o Options, made func(Record) (T, diag.Text)) iter.Seq[T] {
	return func(yield func(T) bool) {
		text := diag.Text{Bytes: src}
		for several := false; ; {
			record, more := o.next(file, text)
			if several = several || more; several {
				record.Record = text.Before + 1
			}
			length := len(record.Text.Bytes)
			out, now := made(record)
			if !yield(out) || !more {
				return
			}
			text = diag.Text{Bytes: text.Bytes[length:], Offset: now.Offset + len(now.Bytes), Before: now.Before + now.Count()}
		}
	}
}

// next reads the first response in a text: a body, if it is like one, and a text otherwise.
// It reports whether another one begins on a line behind it, which is no part then of the
// text of the record.
func (o Options) next(file string, text diag.Text) (record Record, more bool) {
	if blank(text.Bytes) {
		why := "there is nothing in it: the capture has failed, or the model said nothing"
		return nothing(len(text.Bytes), why).record(file, text, o), false
	}
	r, part := o.first(text.Bytes), text
	if more = r.goesOn(text.Bytes); more {
		part.Bytes = text.Bytes[:r.rest]
	} else {
		r.unread(text.Bytes)
	}
	return r.at(part).record(file, part, o), more
}

// goesOn reports whether another response begins on a line behind this one.
func (r *reading) goesOn(src []byte) bool {
	if r.rest == 0 || src[r.rest-1] != '\n' {
		return false
	}
	_, isHead := wire.HeadOf(src[r.rest:])
	_, isBody := wire.FormatOf(src[r.rest:])
	return isHead || isBody
}

// at returns the reading of a part of a file as one of the file.
func (r reading) at(part diag.Text) reading {
	if part.Offset == 0 {
		return r
	}
	var out reading
	out.take(r, part, []wire.Piece{{End: len(part.Bytes)}})
	return out
}

// IsRun reports whether a file is one of a run, however damaged it is behind its first
// record.
func IsRun(src []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimLeft(src, " \t\r\n"), []byte("\n"))
	return bytes.HasPrefix(first, []byte("{")) && gjson.GetBytes(first, "kind").String() == string(runfile.KindRun)
}

// run reads the responses in a run file, as [Run] does. The last record has the text of the file.
func run(file string, src []byte, o Options) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for record := range Run(file, bytes.NewReader(src), o) { // which fails at no read
			if record.Record == 0 {
				record = reading{why: record.Why, findings: record.Findings}.record(file, diag.Text{Bytes: src}, o)
			}
			if !yield(record) {
				return
			}
		}
	}
}

// Run reads the responses in a run file of any size, each in the dialect of the run, unless another
// one is asked for. What tools returned before a response is what its model was told. The
// last record, whose number is 0, has what is wrong with the file itself, if anything is. An error is one of reading.
func Run(file string, src io.ReadSeeker, o Options) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		r, scan := newRunReader(file, o), runfile.NewScan(src)
		for record := range scan.Records() {
			text, offset := scan.Line()
			line := diag.Text{Bytes: text, Offset: int(offset), Before: record.Seq - 1}
			if response, ok := record.Body.(runfile.Response); ok {
				line.Bytes = append(slices.Clone(text), '\n')
				if !yield(r.response(line, response), nil) {
					return
				}
			}
			r.follow(line, record.Body)
		}
		if scan.Err != nil && !errors.As(scan.Err, new(*runfile.DamageError)) {
			yield(Record{}, scan.Err)
			return
		}
		if _, err := src.Seek(0, io.SeekStart); err != nil {
			yield(Record{}, err)
			return
		}
		var found collection
		if _, err := runfile.Check(file, src, func(f diag.Finding) { found.add(f) }); err != nil {
			yield(Record{}, err)
			return
		}
		if all := found.all(); len(all) > 0 {
			yield(reading{why: "it is the run file", findings: all}.record(file, diag.Text{}, o), nil)
		}
	}
}

// A runReader follows a run.
type runReader struct {
	file   string
	o      Options
	why    string                     // how the dialect was told
	native bool                       // the server of the run reads calls
	given  *dialect.Heard             // the context that the options have
	known  map[[sha256.Size]byte]bool // results in the context, or fresh, by the digest of the call and what it gave back
	told   []toldResult               // those in the context, the oldest first
	bytes  int                        // of them
	fresh  []toldResult               // those that the model has not been told yet
	calls  map[string]runfile.Call    // that have no result yet, by their ids
}

// A toldResult is what a call gave back.
type toldResult struct {
	of   runfile.Call
	text string
}

// key identifies a result.
func (t toldResult) key() [sha256.Size]byte {
	return sha256.Sum256([]byte(t.of.Name + string(t.of.Proposed) + t.text))
}

func newRunReader(file string, o Options) *runReader {
	o.shapes = o.toolset()
	given := o.Context
	o.Context = given.Clone()
	return &runReader{file: file, o: o, given: given, known: map[[sha256.Size]byte]bool{}, calls: map[string]runfile.Call{}}
}

// mostResults and mostResultBytes bound the latest results that are compared with each call that follows them: more
// than a model has in its context, and so few that it takes little time and memory.
const (
	mostResults     = 10_000
	mostResultBytes = 6 << 20
)

// follow takes in what a record says about those that follow.
func (r *runReader) follow(line diag.Text, body runfile.Body) {
	switch b := body.(type) {
	case runfile.Run:
		r.native = b.Dialect == nativeRun
		if d, ok := dialect.Named(b.Dialect); ok && r.o.Dialect.Name == "" {
			r.o.Dialect, r.why = d, toldByRun
		}
	case runfile.Request:
		r.tell(r.fresh)
		r.fresh = nil
		r.mark(b.Nonce)
		if b.System != "" || len(b.Tools) > 0 { // it begins a conversation: native calls may have been refused
			r.native = r.native && len(b.Tools) > 0
		}
	case runfile.Call:
		r.calls[b.ID] = b
	case runfile.Result:
		r.result(b.Call, gjson.GetBytes(line.Bytes, "result").Raw)
	}
}

// tell adds results to the context. Where there are too many, the older half is left out from then on.
func (r *runReader) tell(results []toldResult) {
	for _, t := range results {
		r.add(t)
	}
	if len(r.told) <= mostResults && r.bytes <= mostResultBytes {
		return
	}
	kept, bytes := r.told, r.bytes
	for len(kept) > 1 && (len(kept) > mostResults/2 || bytes > mostResultBytes/2) {
		delete(r.known, kept[0].key())
		kept, bytes = kept[1:], bytes-len(kept[0].text)
	}
	r.o.Context, r.told, r.bytes = r.given.Clone(), nil, 0
	for _, t := range kept {
		r.add(t)
	}
}

// add adds a result to the context.
func (r *runReader) add(t toldResult) {
	r.o.Context.AddResult(t.of.Name, t.of.Proposed, []byte(t.text))
	r.told, r.bytes = append(r.told, t), r.bytes+len(t.text)
}

// result takes in what a call gave back. What the program itself says of a call that was not
// made is nobody's wish.
func (r *runReader) result(id, text string) {
	t := toldResult{r.calls[id], text}
	delete(r.calls, id)
	if key := t.key(); policy.Verdict(t.of.Verdict) != policy.Deny && !r.known[key] {
		r.known[key] = true
		r.fresh = append(r.fresh, t)
	}
}

// mark takes that calls of the responses that follow count in fences of a word.
func (r *runReader) mark(word string) {
	if word == "" || r.o.Dialect.Name != "" && r.why != toldByRun {
		return
	}
	d := r.o.Dialect
	if d.Name == "" { // the run began as a native one
		d, _ = dialect.Named("tool")
	}
	r.o.Dialect, _ = d.Marked(word)
	r.why = toldByRun
}

// nativeRun is the dialect of a run whose server reads calls.
const nativeRun = "native"

// response reads a response. Its text and its calls are on record as the server sent
// them; the body itself, if it is kept, says the same.
func (r *runReader) response(line diag.Text, body runfile.Response) Record {
	said := chat.Response{Content: body.Content, Reasoning: body.Reasoning, Calls: body.Calls}
	in := r.o.said(line, said, sourcesOf(line.Bytes), r.native)
	if r.native {
		in.dialect, in.why = nativeRun, toldByRun
	} else if r.why != "" {
		in.why = r.why
	}
	if body.Broken != "" {
		at := around(memberAt(line.Bytes, gjson.GetBytes(line.Bytes, "broken_off")).pieces())
		in.find(diag.New(diag.CutBody, diag.Bytes(line.Offset+at.Start, line.Offset+at.End), "%s", body.Broken))
	}
	out := in.record(r.file, line, r.o)
	out.Record = line.Before + 1
	for _, f := range out.Findings {
		for i, x := range f.Fixes { // a run file that has been changed is damaged
			f.Fixes[i] = diag.Fix{Title: x.Title, Kind: diag.Display}
		}
	}
	return out
}

// toldByRun says how the dialect of a response in a run file is told.
const toldByRun = "the run says so"

// sourcesOf returns where in the line of a response its text stands, and its native calls.
func sourcesOf(line []byte) *wire.Sources {
	pieces := func(v gjson.Result) []wire.Piece { return memberAt(line, v).pieces() }
	from := &wire.Sources{Content: pieces(gjson.GetBytes(line, "content"))}
	gjson.GetBytes(line, "calls").ForEach(func(_, call gjson.Result) bool {
		args := call.Get("arguments")
		if !args.Exists() {
			args = call.Get("text")
		}
		from.Calls = append(from.Calls, wire.CallSources{
			ID: pieces(call.Get("id")), Name: pieces(call.Get("name")), Arguments: pieces(args),
		})
		return true
	})
	return from
}
