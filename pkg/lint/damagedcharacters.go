package lint

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
)

// checkDamagedCharacters reports damaged characters and control tokens in the arguments of calls.
func (r *ParseResult) checkDamagedCharacters(origins []origin) {
	for i := range r.Calls {
		from := origins[i]
		if from.args == nil {
			continue
		}
		escaped := bytes.Contains(from.args, []byte(`\u`))
		if bytes.Contains(from.args, []byte("\ufffd")) || escaped && hasEscape(from.args, `\ufffd`) {
			r.reportCall(i, from.locateText(diag.New(diag.ReplacementChar, diag.Span{}, "an argument contains U+FFFD, which replaces undecodable bytes"), "\ufffd", `\ufffd`, `\uFFFD`))
		}
		args := from.args
		if escaped {
			args = unescapeAngles(args)
		}
		if token, _ := dialect.ControlToken(args); token != "" {
			r.reportCall(i, from.locateText(diag.New(diag.ControlToken, diag.Span{}, "an argument contains %s, which starts or ends a message for some models", token), token))
		}
	}
}

// hasEscape reports whether JSON holds an escape, in either case.
func hasEscape(args []byte, escape string) bool {
	return bytes.Contains(bytes.ToLower(args), []byte(escape))
}

// unescapeAngles returns JSON with its escaped angle brackets decoded; some servers escape them.
func unescapeAngles(args []byte) []byte {
	if !bytes.Contains(args, []byte(`\u003`)) {
		return args
	}
	return []byte(strings.NewReplacer(`\u003c`, "<", `\u003C`, "<", `\u003e`, ">", `\u003E`, ">").Replace(string(args)))
}

// locateText sets a finding's span to the first of some texts found in the call; it stays unset if
// none occurs.
func (o origin) locateText(f diag.Finding, texts ...string) diag.Finding {
	for _, text := range texts {
		if i := strings.Index(o.text, text); i >= 0 {
			f.Span = diag.Bytes(o.offset+i, o.offset+i+len(text))
			return o.findingInFile(f)
		}
	}
	return f
}

const byteOrderMark = "\ufeff"

// reportByteOrderMark reports a byte order mark at the start of a file.
func (r *ParseResult) reportByteOrderMark(text diag.Text) {
	if text.Offset > 0 || !bytes.HasPrefix(text.Bytes, []byte(byteOrderMark)) {
		return
	}
	f := diag.New(diag.ByteOrderMark, diag.Bytes(0, len(byteOrderMark)), "byte order mark at the start of the file")
	f.Fixes = []diag.Fix{{Title: "remove it", Kind: diag.Safe, Edits: []diag.Edit{{Start: 0, End: len(byteOrderMark)}}}}
	r.Findings = append(r.Findings, f)
}
