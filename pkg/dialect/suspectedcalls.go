package dialect

import (
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// suspectedCalls are tags in the text that are named like known tools, directly followed by a tag named like a
// parameter or by an object: calls in a form of no dialect. Their values could be text or markup, so they are
// not read as calls.
type suspectedCalls struct {
	stage     elementStage
	inCode    bool          // in inline code, where tags are only mentioned
	at        int           // start of the tag
	name      []byte        // of the current tag
	tool      *schema.Shape // of the last tag
	firstSpan diag.Span
	firstTool string // tool of the first
	count     int
}

// An elementStage is the position of the next byte.
type elementStage int

const (
	outsideTags  elementStage = iota
	inToolTag                 // after "<"
	afterTool                 // after the tag of a tool
	inParameters              // after "<" there
)

// add scans text at an offset, and returns the number of bytes inspected.
func (e *suspectedCalls) add(tools Toolset, at int, text string) int {
	for i := 0; i < len(text); i++ {
		if e.stage == outsideTags {
			k := strings.IndexByte(text[i:], '<')
			if k < 0 {
				e.trackInlineCode(text[i:])
				break
			}
			e.trackInlineCode(text[i : i+k])
			i += k
		}
		e.readByte(tools, text[i], at+i)
	}
	return len(text)
}

// trackInlineCode tracks inline code in text without tags.
func (e *suspectedCalls) trackInlineCode(text string) {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		e.inCode, text = false, text[i+1:]
	}
	e.inCode = e.inCode != (strings.Count(text, "`")%2 == 1)
}

// readByte reads a byte at an offset.
func (e *suspectedCalls) readByte(tools Toolset, c byte, at int) {
	switch {
	case c == '`' || c == '\n' && e.stage != afterTool:
		e.stage, e.inCode = outsideTags, c == '`' && !e.inCode
	case c == '<' && e.inCode:
	case c == '<' && e.stage != afterTool:
		e.stage, e.at, e.name = inToolTag, at, e.name[:0]
	case e.stage == afterTool && isSpace(c):
	case e.stage == afterTool && c == '<':
		e.stage, e.name = inParameters, e.name[:0]
	case e.stage != afterTool && isNameByte(c) && len(e.name) < maxToolName:
		e.name = append(e.name, c)
	case e.stage == inToolTag && c == '>':
		e.handleToolTag(tools, at+1)
	case e.stage == afterTool && c == '{', e.stage == inParameters && c == '>' && e.tool.Property(string(e.name)) != nil:
		e.count++
		e.stage = outsideTags
	default:
		e.stage = outsideTags
	}
}

// handleToolTag handles a tag that ends at an offset.
func (e *suspectedCalls) handleToolTag(tools Toolset, end int) {
	if _, known := tools[string(e.name)]; !known {
		e.stage = outsideTags
		return
	}
	e.stage, e.tool = afterTool, tools.Shape(string(e.name))
	if e.count == 0 {
		e.firstSpan, e.firstTool = diag.Bytes(e.at, end), string(e.name)
	}
}
