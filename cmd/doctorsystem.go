package cmd

import (
	"context"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"

	"oneshot/pkg/atomicfile"
)

// system returns the probes of this machine.
func (o *doctorOptions) system() []probe {
	return []probe{
		{"state directory", o.state, func(err error) error { return &outputError{err} }},
		{"managed policy", o.managed, func(err error) error { return err }},
		{"programs", o.programs, nil},
		{"sandbox", o.sandbox, nil},
		{"user", user, nil},
		{"proc", proc, nil},
		{"certificates", o.certificates, nil},
		{"clock", o.clock, nil},
		{"terminal", o.terminal, nil},
	}
}

func (o *doctorOptions) version(context.Context) check {
	info, _ := debug.ReadBuildInfo()
	return check{Status: fine, Detail: fmt.Sprintf("%v, %s/%s", newBuild(version, info), runtime.GOOS, runtime.GOARCH)}
}

// managed checks the policy of the administrator.
func (o *doctorOptions) managed(context.Context) check {
	shipped, err := everyTool(o.env, nil)
	if err != nil {
		return failedCheck(err)
	}
	m, err := loadManaged(o.env, o.console, shipped)
	switch {
	case err != nil:
		return failedCheck(err)
	case m == nil:
		return check{Status: skipped, Detail: "none at " + o.env.ManagedPolicy}
	}
	return check{Status: fine, Detail: m.path + " applies to every run, " + m.digest()}
}

// lowSpace is the free space, in bytes, below which a long run may fill the disk.
const lowSpace = 100 << 20

// state checks that run files and locks work, with a temporary file in the nearest existing directory.
func (o *doctorOptions) state(context.Context) check {
	dir, err := stateDir(o.env, "")
	if err != nil {
		return failedCheck(err)
	}
	free, locks, err := tryDirectory(nearestExisting(dir))
	switch {
	case err != nil:
		c := failedCheck(&outputError{fmt.Errorf("%s: %w", dir, err)})
		c.Hint = "set XDG_STATE_HOME to a writable directory"
		return c
	case free < lowSpace:
		return check{Status: warning, Detail: fmt.Sprintf("%s: only %d MiB free", dir, free>>20)}
	case !locks:
		return check{Status: warning, Detail: dir + ": the file system does not support locks", Hint: "--lock and run files need flock; set XDG_STATE_HOME"}
	}
	return check{Status: fine, Detail: fmt.Sprintf("%s: writable, locks work, %d MiB free", dir, free>>20)}
}

// nearestExisting returns the nearest existing ancestor of a path, or the path itself.
func nearestExisting(path string) string {
	for {
		if _, err := os.Lstat(path); err == nil || filepath.Dir(path) == path {
			return path
		}
		path = filepath.Dir(path)
	}
}

// tryDirectory creates, locks and removes a file.
func tryDirectory(dir string) (free uint64, locks bool, err error) {
	f, err := os.CreateTemp(dir, ".oneshot-doctor-*")
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return 0, false, err
	}
	if _, err := f.WriteString("x"); err != nil {
		return 0, false, err
	}
	var space unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &space); err != nil {
		return 0, false, err
	}
	locks = atomicfile.Lock(f) == nil
	return uint64(space.Bavail) * uint64(space.Bsize), locks, nil
}

func proc(context.Context) check {
	if _, err := os.ReadDir("/proc/self/fd"); err != nil {
		return check{Status: warning, Detail: err.Error(), Hint: "mount /proc: -o FILE needs it to leave no partial file"}
	}
	return check{Status: fine, Detail: "mounted"}
}

// certificates checks that the system has CA certificates.
func (o *doctorOptions) certificates(context.Context) check {
	pool, err := x509.SystemCertPool()
	if err != nil || pool.Equal(x509.NewCertPool()) {
		return check{Status: warning, Detail: "the system has no CA certificates", Hint: "install ca-certificates, or use --ca-file"}
	}
	detail := "the system's CA certificates"
	if o.model.servers.caFile != "" {
		detail += " and " + o.model.servers.caFile
	}
	return check{Status: fine, Detail: detail}
}

// releaseYear is the year of this version: a correct clock is not before it.
const releaseYear = 2026

func (o *doctorOptions) clock(context.Context) check {
	now := o.env.Now()
	zone, _ := now.Zone()
	c := check{Status: fine, Detail: fmt.Sprintf("%s (%s)", now.Format(time.RFC3339), zone)}
	if now.Year() < releaseYear {
		c.Status, c.Hint = warning, "set the clock: certificates and the time shown to the model depend on it"
	}
	if _, err := time.LoadLocation("Europe/Berlin"); err != nil {
		c.Status, c.Hint = warning, "install tzdata: --tz needs it"
	}
	return c
}

func (o *doctorOptions) terminal(context.Context) check {
	if o.env.Terminal {
		return check{Status: fine, Detail: "stderr is a terminal: progress and colour on"}
	}
	return check{Status: fine, Detail: "stderr is not a terminal: colour off, progress only with --verbose"}
}
