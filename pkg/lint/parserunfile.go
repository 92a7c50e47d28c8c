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
	"oneshot/pkg/dialect/echo"
	"oneshot/pkg/policy"
	"oneshot/pkg/provider/wire"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// IsRunFile reports whether a file is a run file, judging by its first record only.
func IsRunFile(src []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimLeft(src, " \t\r\n"), []byte("\n"))
	return bytes.HasPrefix(first, []byte("{")) && gjson.GetBytes(first, "kind").String() == string(runfile.KindRun)
}

// readRun reads the responses of a run file in memory, as [ParseRun] does. The last record has the text
// of the file.
func readRun(file string, src []byte, o Options) iter.Seq[ParseResult] {
	return func(yield func(ParseResult) bool) {
		for record := range ParseRun(file, bytes.NewReader(src), o) { // reading from memory does not fail
			if record.Record == 0 {
				record = scanResult{why: record.Why, findings: record.Findings}.checkAndConvert(file, diag.Text{Bytes: src}, o)
			}
			if !yield(record) {
				return
			}
		}
	}
}

// ParseRun reads the responses of a run file of any size, in the run's dialect unless the options name
// another. An untrusted input, and results recorded before a response, count as untrusted context for its calls. The last
// record, with number 0, holds the findings about the file itself, if any. An error is a read
// error.
func ParseRun(file string, src io.ReadSeeker, o Options) iter.Seq2[ParseResult, error] {
	return func(yield func(ParseResult, error) bool) {
		r, scan := newRunReader(file, o), runfile.NewScanner(src)
		for record := range scan.Records() {
			text, offset := scan.Line()
			line := diag.Text{Bytes: text, Offset: int(offset), LinesBefore: record.Seq - 1}
			if response, ok := record.Body.(runfile.Response); ok {
				line.Bytes = append(slices.Clone(text), '\n')
				if !yield(r.readResponse(line, response), nil) {
					return
				}
			}
			r.applyRecord(line, record.Body)
		}
		if scan.Err != nil && !errors.As(scan.Err, new(*runfile.DamageError)) {
			yield(ParseResult{}, scan.Err)
			return
		}
		if _, err := src.Seek(0, io.SeekStart); err != nil {
			yield(ParseResult{}, err)
			return
		}
		var found boundedFindings
		if _, err := runfile.Check(file, src, func(f diag.Finding) { found.add(f) }); err != nil {
			yield(ParseResult{}, err)
			return
		}
		if all := found.all(); len(all) > 0 {
			yield(scanResult{why: "run file", findings: all}.checkAndConvert(file, diag.Text{}, o), nil)
		}
	}
}

// A runReader tracks the state of a run while its file is read.
type runReader struct {
	file           string
	o              Options
	why            string                     // why this dialect was chosen
	native         bool                       // the run uses native calls
	baseContext    *echo.SeenText             // the context in the options, and the input of the run
	seen           map[[sha256.Size]byte]bool // all results here, by digest of call and result
	contextResults []callResult               // results in the context, oldest first
	contextBytes   int                        // of contextResults
	newResults     []callResult               // results not yet sent to the model
	openCalls      map[string]runfile.Call    // calls without a result, by ID
}

// A callResult is a call and its result.
type callResult struct {
	call runfile.Call
	text string
}

func (t callResult) key() [sha256.Size]byte {
	return sha256.Sum256([]byte(t.call.Name + string(t.call.Proposed) + t.text))
}

func newRunReader(file string, o Options) *runReader {
	o.shapes = o.toolShapes()
	given := o.Context
	o.Context = given.Clone()
	return &runReader{file: file, o: o, baseContext: given, seen: map[[sha256.Size]byte]bool{}, openCalls: map[string]runfile.Call{}}
}

// maxContextResults and maxContextBytes bound the results that later calls are compared with: more than fit into a
// model's context, and few enough to compare quickly.
const (
	maxContextResults = 10_000
	maxContextBytes   = 6 << 20
)

// applyRecord updates the state from a record.
func (r *runReader) applyRecord(line diag.Text, body runfile.Body) {
	switch b := body.(type) {
	case runfile.Run:
		r.native = b.Dialect == nativeRun
		r.setInput(b)
		if d, ok := dialect.Lookup(b.Dialect); ok && r.o.Dialect.Name == "" {
			r.o.Dialect, r.why = d, whyRunFile
		}
	case runfile.Request:
		r.addToContext(r.newResults)
		r.newResults = nil
		r.setCallFenceNonce(b.Nonce)
		if b.System != "" || len(b.Tools) > 0 { // a new conversation: the server may have refused native calls
			r.native = r.native && len(b.Tools) > 0
		}
	case runfile.Call:
		r.openCalls[b.ID] = b
	case runfile.Result:
		r.collectResult(b.Call, gjson.GetBytes(line.Bytes, "result").Raw)
	}
}

// setInput begins the context with the user's prompt and input, as the run did.
func (r *runReader) setInput(b runfile.Run) {
	r.baseContext = r.baseContext.Clone()
	r.baseContext.AddUserText(b.Prompt)
	switch isTrusted := slices.Contains(b.Options, "trust-input=true") || !slices.Contains(b.InputLabels, string(tool.Untrusted)); {
	case isTrusted:
		r.baseContext.AddUserText(b.Input)
	case b.Input != "":
		r.baseContext.Add([]byte(b.Input))
	}
	r.o.Context = r.baseContext.Clone()
}

// addToContext adds results to the context. Over the limit, it drops the older half.
func (r *runReader) addToContext(results []callResult) {
	for _, t := range results {
		r.addResultToContext(t)
	}
	if len(r.contextResults) <= maxContextResults && r.contextBytes <= maxContextBytes {
		return
	}
	kept, bytes := r.contextResults, r.contextBytes
	for len(kept) > 1 && (len(kept) > maxContextResults/2 || bytes > maxContextBytes/2) {
		delete(r.seen, kept[0].key())
		kept, bytes = kept[1:], bytes-len(kept[0].text)
	}
	r.o.Context, r.contextResults, r.contextBytes = r.baseContext.Clone(), nil, 0
	for _, t := range kept {
		r.addResultToContext(t)
	}
}

// addResultToContext adds a result to the context.
func (r *runReader) addResultToContext(t callResult) {
	r.o.Context.AddResult(t.call.Name, t.call.Proposed, []byte(t.text))
	r.contextResults, r.contextBytes = append(r.contextResults, t), r.contextBytes+len(t.text)
}

// collectResult keeps a result for the next request. The program's own text about a denied call is
// not untrusted.
func (r *runReader) collectResult(id, text string) {
	t := callResult{r.openCalls[id], text}
	delete(r.openCalls, id)
	if key := t.key(); policy.Verdict(t.call.Verdict) != policy.Deny && !r.seen[key] {
		r.seen[key] = true
		r.newResults = append(r.newResults, t)
	}
}

// setCallFenceNonce makes calls of the following responses count only in fences of a word.
func (r *runReader) setCallFenceNonce(word string) {
	if word == "" || r.o.Dialect.Name != "" && r.why != whyRunFile {
		return
	}
	d := r.o.Dialect
	if d.Name == "" { // the run began with native calls
		d, _ = dialect.Lookup("tool")
	}
	r.o.Dialect, _ = d.WithNonce(word)
	r.why = whyRunFile
}

// nativeRun is the dialect name of a run with native calls.
const nativeRun = "native"

// readResponse reads a response from its recorded text and calls; a recorded body would give the same result.
func (r *runReader) readResponse(line diag.Text, body runfile.Response) ParseResult {
	said := chat.Response{Content: body.Content, Reasoning: body.Reasoning, Calls: body.Calls}
	in := r.o.readDecoded(line, said, locateResponseParts(line.Bytes), r.native)
	if r.native {
		in.dialect, in.why = nativeRun, whyRunFile
	} else if r.why != "" {
		in.why = r.why
	}
	if body.BrokenOff != "" {
		at := pieceBounds(locatedValueAt(line.Bytes, gjson.GetBytes(line.Bytes, "broken_off")).valueSegments())
		in.report(diag.New(diag.TruncatedBody, diag.Bytes(line.Offset+at.Start, line.Offset+at.End), "%s", body.BrokenOff))
	}
	out := in.checkAndConvert(r.file, line, r.o)
	out.Record = line.LinesBefore + 1
	for _, f := range out.Findings {
		for i, x := range f.Fixes { // editing a run file damages it
			f.Fixes[i] = diag.Fix{Title: x.Title, Kind: diag.Display}
		}
	}
	return out
}

// whyRunFile is the dialect reason of responses in a run file.
const whyRunFile = "recorded in the run file"

// locateResponseParts returns the locations of a response's text and native calls in its line.
func locateResponseParts(line []byte) *wire.Sources {
	pieces := func(v gjson.Result) []wire.Segment { return locatedValueAt(line, v).valueSegments() }
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
