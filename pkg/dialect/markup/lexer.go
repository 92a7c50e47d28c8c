package markup

import "oneshot/pkg/schema"

// A lexer reads the markers and tags of one call from a growing text. It decides nothing and reports nothing.
type lexer struct {
	syntax     *Syntax
	words      *vocabulary
	text       []byte
	final      bool // nothing follows the text
	pos        int  // end of the text that was read
	lookahead  int  // end of the text that was searched
	steps      int
	qualified  bool          // markers without the prefix or token do not count
	shape      *schema.Shape // of the arguments
	tag        tag
	attrBuffer []attribute // reused for each tag
	param      param
	following  peeked // the marker after one that may close the value
}

// A param is the current parameter.
type param struct {
	name           name
	closesByName   bool // a closing tag with the parameter's name can close it
	attrs          []attribute
	isElement      bool   // its tag is its name
	isContainer    bool   // its value consists of parameter tags
	start          int    // of the value
	wrongCloser    bool   // another tag closed it
	openerMissing  bool   // the tag before the value is missing
	markerCount    int    // markers in the value
	firstMarker    marker // the first of them
	closerRejected bool   // one of them could have closed it
	openCalls      int    // calls that begin in the value and do not end in it
	openParams     int    // the same for parameters
	depth          int    // open tags in the value with the parameter's own tag name
}

// A verdict is the answer to whether the text at an offset matches.
type verdict uint8

const (
	no verdict = iota
	maybe
	yes
)

// A marker is a tag or token of the dialect in the text.
type marker struct {
	kind         markerKind
	qualified    bool // it has the prefix or token of the syntax
	unclosed     bool // its end is missing
	firstMissing bool // its first character is missing
	selfClosing  bool // for elements: <name/>
	start        int
	nameEnd      int  // end of its name
	glued        bool // no whitespace follows the name
	end          int  // end of the marker; for a tag with attributes, of its name
	name         string
}

// A tag is the opening tag that is being read.
type tag struct {
	marker       marker
	quote        byte // the open quote
	unquotedEnd  int  // end of the tag if the quote is text
	lastNonBlank byte

	duplicate attribute // the repeated attribute, if it has a name

	end         int  // end of its content
	next        int  // offset after the tag
	unclosed    bool // its end is missing
	tokenStart  int  // start of a control token in place of the end; 0 for none
	selfClosing bool
}

// An attribute is an attribute of a tag.
type attribute struct {
	name, value string
	start, end  int // of the value
	irregular   bool
}

// A name is the name of a tool or parameter in the text.
type name struct {
	text            string
	start, end      int
	irregular       bool   // quotes or whitespace around it are unexpected or missing
	hasControlToken bool   // it contained control tokens
	hasExtra        bool   // the tag contains something else, too
	namespace       string // the prefix that was removed
}
