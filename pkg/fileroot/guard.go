package fileroot

import (
	"cmp"
	"strings"
)

// A Guard decides which names in one folder no tool reaches, at any access: listing, reading, searching, writing.
// Its methods may be called from several goroutines.
type Guard interface {
	// Enter returns the guard of what is below a name, nil where nothing is denied there, or why the name
	// is denied, with everything below it.
	Enter(name string) (Guard, *Denial)
}

// A Denial is the rule that denies a file, and its reason.
type Denial struct{ Rule, Because string }

// Reason returns why the file is denied, for the model and the record.
func (d *Denial) Reason() string {
	return cmp.Or(d.Because, "a rule of the policy denies this file") + " (" + d.Rule + ")"
}

// Deny adds guards of the root's top folder. It must not be called once the root is in use.
func (r *Root) Deny(guards ...Guard) {
	for _, g := range guards {
		if g != nil {
			r.guards = append(r.guards, g)
		}
	}
}

// Denied returns the error for a path that a guard denies, as it is written and not where its links lead, or nil.
func (r *Root) Denied(clean string) error {
	guards := r.guards
	for name := range strings.SplitSeq(clean, "/") {
		if len(guards) == 0 {
			return nil
		}
		var why *Denial
		if guards, why = enter(guards, name); why != nil {
			return &PathError{Kind: Refused, Path: clean, Reason: why.Reason()}
		}
	}
	return nil
}

// enter returns the guards of what is below a name, or why one of them denies it.
func enter(guards []Guard, name string) ([]Guard, *Denial) {
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

// Names returns a guard that denies the files and folders at some slash paths. Spellings that a file system may
// take for the same are equal. It is nil for no path.
func Names(why Denial, paths ...string) Guard {
	if len(paths) == 0 {
		return nil
	}
	top := &names{below: map[string]*names{}}
	for _, p := range paths {
		at := top
		for name := range strings.SplitSeq(Fold(p), "/") {
			if at.below[name] == nil {
				at.below[name] = &names{below: map[string]*names{}}
			}
			at = at.below[name]
		}
		at.why = &why
	}
	return top
}

// names is a folder on the way to a denied path, or the end of one.
type names struct {
	below map[string]*names // folded
	why   *Denial           // of the end
}

// Enter looks a name up.
func (n *names) Enter(name string) (Guard, *Denial) {
	next := n.below[Fold(name)]
	switch {
	case next == nil:
		return nil, nil
	case next.why != nil:
		return nil, next.why
	}
	return next, nil
}
