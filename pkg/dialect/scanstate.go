package dialect

// A Scanner reads a response while it arrives. Its events do not depend on how the response is split into
// pieces, except for the boundaries of content. It inspects every byte a bounded number of times, and buffers
// only the current call and text that may become a call, a marker or the opening line of a fence.
type Scanner struct {
	selector
	state        scanState
	search       search
	unreadPieces [][]byte      // pieces to be read before the next one, the last of it first
	opener       fence         // the latest run of fence characters
	info         infoString    // its info string
	matched      int           // bytes read of an info string after a closing run
	firstKey     firstKey      // the beginning of an object in the text
	skipped      skippedObject // the object being skipped
	body         body          // parses the open frame, if any
}

// A scanState is the syntactic position of the next byte.
type scanState int

const (
	inProse             scanState = iota // text, in or outside a foreign fence
	inStart                              // before any text, where JSON outside of fences counts
	inLookahead                          // after a marker that is not resolved yet
	inSkip                               // in text to be skipped after a marker
	afterListMarker                      // in blanks after an enclosing marker of calls
	inFirstKey                           // in an object in the text, up to its first key
	inSkippedKey                         // in the first key of a skipped object
	inSkippedObject                      // in a skipped object
	inRun                                // a run of fence characters at the start of a line
	inInfo                               // after such a run, while it can open a fence of calls
	inBlanks                             // after such a run and more blanks than allowed
	inForeignInfo                        // the rest of the opening line of a foreign fence
	inFenceContentStart                  // at the start of the content of a fence that may hold calls
	inBody                               // in a frame
	inCloser                             // the run that closes a fence
	inReopen                             // after that run, while another fence of calls may begin
	inTail                               // the rest of the closing line
)

// stateBetweenFrames returns the state for places without text: at the start of the response and after a frame.
func (s *Scanner) stateBetweenFrames() scanState {
	if len(s.markers.implicit) > 0 && !s.reasoning.inside {
		return inStart
	}
	return inProse
}

// emitHeldAsText emits the held bytes as content and continues in the middle of a line.
func (s *Scanner) emitHeldAsText() {
	s.emitHeld()
	s.state = inProse
	s.setLineBlank(false)
}
