package dialect

import "slices"

// openList is the open marker around calls.
type openList struct {
	dialect     *Dialect
	depth       int // number of open markers
	at          int // offset of the first
	text        string
	callsBefore int // number of calls before it
}

func (w openList) isOpen() bool { return w.dialect != nil }

// hasListMarkers reports whether calls of the dialect are enclosed in further markers.
func (d *Dialect) hasListMarkers() bool {
	return slices.ContainsFunc(d.framing.markers, func(m marker) bool { return m.role == listOpen || m.opensList })
}
