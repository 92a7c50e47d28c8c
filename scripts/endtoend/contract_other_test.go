//go:build !linux

package endtoend

import "errors"

// aloneMain is for scripts that are skipped on this system: only init becomes the
// parent of orphans, so nobody can find the processes that a program has left.
func aloneMain() { check(errors.ErrUnsupported) }

// unlockedMain is for scripts that are skipped on this system.
func unlockedMain() { check(errors.ErrUnsupported) }
