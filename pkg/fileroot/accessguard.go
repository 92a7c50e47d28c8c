package fileroot

import (
	"cmp"
	"strings"
)

// A Guard denies names in one folder to all tools, for every access: listing, reading, searching, writing.
// Its methods may be called concurrently.
type Guard interface {
	// Enter returns the guard for the contents of a name, nil if it denies nothing there, or the denial of the
	// name and everything below it.
	Enter(name string) (Guard, *Denial)
}

// A Denial is the rule that denies a file, and the reason.
type Denial struct{ Rule, Because string }

// Reason returns the reason for the model and the record.
func (d *Denial) Reason() string {
	return cmp.Or(d.Because, "a rule of the policy denies this file") + " (" + d.Rule + ")"
}

// AddGuards adds guards of the top folder. It must be called before the root is in use.
func (r *Root) AddGuards(guards ...Guard) {
	for _, g := range guards {
		if g != nil {
			r.guards = append(r.guards, g)
		}
	}
}

// VerifyGuards returns an error if a guard denies a path, without resolving links in it.
func (r *Root) VerifyGuards(clean string) error {
	guards := r.guards
	for name := range strings.SplitSeq(clean, "/") {
		if len(guards) == 0 {
			return nil
		}
		var why *Denial
		if guards, why = enterAll(guards, name); why != nil {
			return &PathError{Kind: Refused, Path: clean, Reason: why.Reason()}
		}
	}
	return nil
}

// enterAll returns the guards for the contents of a name, or the first denial.
func enterAll(guards []Guard, name string) ([]Guard, *Denial) {
	var below []Guard
	for i, g := range guards {
		next, why := g.Enter(name)
		switch {
		case why != nil:
			return nil, why
		case next == nil:
		case len(guards) == 1 && next == g:
			return guards, nil // most names change nothing
		case below == nil:
			below = append(make([]Guard, 0, len(guards)-i), next)
		default:
			below = append(below, next)
		}
	}
	return below, nil
}

// DenyPaths returns a guard that denies files and folders at slash paths, compared as by [Fold]. It is nil if
// there are no paths.
func DenyPaths(why Denial, paths ...string) Guard {
	if len(paths) == 0 {
		return nil
	}
	top := &pathGuard{below: map[string]*pathGuard{}}
	for _, p := range paths {
		at := top
		for name := range strings.SplitSeq(Fold(p), "/") {
			if at.below[name] == nil {
				at.below[name] = &pathGuard{below: map[string]*pathGuard{}}
			}
			at = at.below[name]
		}
		at.why = &why
	}
	return top
}

// A pathGuard is a folder on the way to a denied path, or a denied path.
type pathGuard struct {
	below map[string]*pathGuard // folded
	why   *Denial               // set for a denied path
}

// Enter implements [Guard].
func (n *pathGuard) Enter(name string) (Guard, *Denial) {
	next := n.below[Fold(name)]
	switch {
	case next == nil:
		return nil, nil
	case next.why != nil:
		return nil, next.why
	}
	return next, nil
}
