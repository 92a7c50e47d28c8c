package lint

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
)

// values reports what in the arguments of calls is damaged, or could be taken for
// something else where it is shown to a model.
func (r *Record) values(origins []origin) {
	for i := range r.Calls {
		from := origins[i]
		if from.args == nil {
			continue
		}
		escaped := bytes.Contains(from.args, []byte(`\u`))
		if bytes.Contains(from.args, []byte("\ufffd")) || escaped && escapes(from.args, `\ufffd`) {
			r.about(i, from.found(diag.New(diag.Replacement, diag.Span{}, "an argument holds U+FFFD, which stands for bytes that could not be read"), "\ufffd", `\ufffd`, `\uFFFD`))
		}
		args := from.args
		if escaped {
			args = angles(args)
		}
		if token, _ := dialect.ControlToken(args); token != "" {
			r.about(i, from.found(diag.New(diag.ControlToken, diag.Span{}, "an argument holds %s, which begins or ends a message for some models", token), token))
		}
	}
}

// escapes reports whether JSON holds an escape, in small letters or not.
func escapes(args []byte, escape string) bool {
	return bytes.Contains(bytes.ToLower(args), []byte(escape))
}

// angles returns JSON with the angle brackets that are escaped in it, as some servers
// write them.
func angles(args []byte) []byte {
	if !bytes.Contains(args, []byte(`\u003`)) {
		return args
	}
	return []byte(strings.NewReplacer(`\u003c`, "<", `\u003C`, "<", `\u003e`, ">", `\u003E`, ">").Replace(string(args)))
}

// found returns a finding with the place of the first of some texts that stands in the
// arguments; none if they are written in another way.
func (o origin) found(f diag.Finding, texts ...string) diag.Finding {
	for _, text := range texts {
		if i := strings.Index(o.text, text); i >= 0 {
			f.Span = diag.Bytes(o.base+i, o.base+i+len(text))
			return o.moved(f)
		}
	}
	return f
}

// orderMark is the byte order mark of UTF-8.
const orderMark = "\ufeff"

// marked reports a byte order mark in front of a file.
func (r *Record) marked(text diag.Text) {
	if text.Offset > 0 || !bytes.HasPrefix(text.Bytes, []byte(orderMark)) {
		return
	}
	f := diag.New(diag.OrderMark, diag.Bytes(0, len(orderMark)), "byte order mark at the start of the file")
	f.Fixes = []diag.Fix{{Title: "remove it", Kind: diag.Safe, Edits: []diag.Edit{{Start: 0, End: len(orderMark)}}}}
	r.Findings = append(r.Findings, f)
}
