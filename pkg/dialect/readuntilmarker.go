package dialect

import (
	"slices"
	"sync"

	"oneshot/pkg/ahocorasick"
)

// sortedUnion merges lists, sorted and without duplicates.
func sortedUnion(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// A markerList is a searchable list of markers.
type markerList struct {
	*ahocorasick.Automaton
	texts []string // sorted
}

// newMarkerList returns a list built on first use.
func newMarkerList(texts func() []string) func() *markerList {
	return sync.OnceValue(func() *markerList {
		all := texts()
		slices.Sort(all)
		return &markerList{ahocorasick.New(all, nil), all}
	})
}

// A markerReader reads text up to the next marker.
type markerReader struct {
	search
	texts   []string
	buf     []byte // the last result, and bytes that can still become a marker
	textLen int    // length of the result in buf
}

func newMarkerReader(m *markerList) markerReader {
	return markerReader{search: search{Automaton: m.Automaton}, texts: m.texts}
}

// withMarkers returns a reader for other markers that reuses the buffer of a finished one.
func (u *markerReader) withMarkers(m *markerList) markerReader {
	return markerReader{search: search{Automaton: m.Automaton}, texts: m.texts, buf: u.buf[:0]}
}

// readUntilMarker reads p to the end of the next marker. It returns the bytes read, the text before the marker not
// returned yet, and the marker, or "".
func (u *markerReader) readUntilMarker(p []byte) (n int, text []byte, marker string) {
	n, found, _ := u.findNext(p)
	u.buf = append(append(u.buf[:0], u.buf[u.textLen:]...), p[:n]...)
	u.textLen = len(u.buf) - u.partialLen()
	if found >= 0 {
		marker = u.texts[found]
		u.textLen = len(u.buf) - len(marker)
		u.buf = u.buf[:u.textLen]
	}
	return n, u.buf[:u.textLen], marker
}

// pendingLen returns the number of bytes that can still become a marker.
func (u *markerReader) pendingLen() int { return len(u.buf) - u.textLen }

func (u *markerReader) pendingText() string { return string(u.buf[u.textLen:]) }
