package policy

import (
	"slices"

	"oneshot/pkg/ahocorasick"
)

// FileNameOrigin returns the origin of the name of a file in a call, as text: the user, a result, or only
// the model.
func (s *State) FileNameOrigin(name string) string {
	finder := ahocorasick.New([]string{name}, nil)
	named := func(in *textSource) bool {
		good := []bool{false}
		markKnown(finder, in, good)
		return good[0]
	}
	if named(&s.known.user) {
		return "your prompt or input names it"
	}
	for i := range slices.Backward(s.known.results) {
		s.known.results[i].decode()
		if named(&s.known.results[i]) {
			return "a result of " + s.known.results[i].tool + " names it"
		}
	}
	return "only the model names it"
}
