package agent

import (
	"fmt"
	"strings"

	"oneshot/pkg/diag"
)

// maxReportedFaults bounds the faults of one call in a message to the model.
const maxReportedFaults = 10

func joinMessages(findings []diag.Finding) string {
	lines := make([]string, 0, maxReportedFaults+1)
	for _, f := range findings[:min(len(findings), maxReportedFaults)] {
		lines = append(lines, f.Message)
	}
	if more := len(findings) - maxReportedFaults; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more errors", more))
	}
	return strings.Join(lines, "; ")
}

// withoutSpan removes the span of a finding about the arguments of a native call, which are not
// part of the reply's text. The message of an error quotes the position instead.
func withoutSpan(f diag.Finding, args string) diag.Finding {
	if f.Severity == diag.Error && args != "" {
		f.Message += ", in " + excerptAt(args, f.Span.Start)
	}
	f.Span = diag.Span{}
	return f
}

// excerptAt quotes the text around an offset.
func excerptAt(text string, at int) string {
	const before, most = 16, 40
	from := max(0, min(at, len(text))-before)
	to := min(len(text), from+most)
	quoted := strings.ToValidUTF8(text[from:to], "")
	if from > 0 {
		quoted = "…" + quoted
	}
	if to < len(text) {
		quoted += "…"
	}
	return quoted
}
