//go:build !linux

package endtoend

import "errors"

// aloneMain is for scripts that are skipped here: no process is given orphans but
// init, so nobody can tell which a program has left.
func aloneMain() { check(errors.ErrUnsupported) }

// unlockedMain is for scripts that are skipped here, too.
func unlockedMain() { check(errors.ErrUnsupported) }
