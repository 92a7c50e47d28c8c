package subprocess

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Landlock access rights for files and folders. Making devices is never granted: root could create
// any disk device.
const (
	readFile    = ll.AccessFSExecute | ll.AccessFSReadFile
	readFolder  = readFile | ll.AccessFSReadDir
	writeFile   = readFile | ll.AccessFSWriteFile | ll.AccessFSTruncate
	writeFolder = writeFile | readFolder | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg |
		ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSRefer
	useDevice = ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate
)

// devices are available to every program.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// keptCapabilities are the capabilities that root keeps in a sandbox: for file permissions and user IDs. Without the
// others it cannot raise its limits, change the machine, or open files by handle.
const keptCapabilities = 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID

// confine restricts this thread before it becomes the program. The program's folder is already its working directory.
func confine(j job) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if len(j.Sandboxes) == 0 {
		return nil
	}
	has, network, writes, optional := Supported(), true, true, true
	for _, s := range j.Sandboxes {
		network, writes, optional = network && s.Network, writes && len(s.Write) > 0, optional && s.Optional
		if has.Landlock < minLandlock && s.Optional {
			continue
		}
		if err := s.restrict(j); err != nil {
			return err
		}
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if !has.Seccomp && optional {
		return nil
	}
	return installFilter(network, writes)
}

// restrict restricts files, signals and, without network, TCP.
func (s sandbox) restrict(j job) error {
	config := landlock.Config{HandledAccessFS: landlock.V11.HandledAccessFS, Scoped: landlock.V11.Scoped}
	if !s.Network {
		config.HandledAccessNet = landlock.V11.HandledAccessNet
	}
	rules := []landlock.Rule{
		landlock.PathAccess(readFile, string(j.Path)),
		landlock.PathAccess(writeFolder, fdPath(fdTemp)),
	}
	if !s.NoWorkDir {
		rules = append(rules, landlock.PathAccess(readFolder, fdPath(fdDir)))
	}
	for _, path := range s.Read {
		rules = append(rules, pathRules(string(path), readFile, readFolder)...)
	}
	for _, path := range s.Write {
		rules = append(rules, pathRules(string(path), writeFile, writeFolder)...)
	}
	for _, path := range devices {
		rules = append(rules, pathRules(path, useDevice, 0)...)
	}
	if err := config.BestEffort().Restrict(rules...); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return nil
}

// fdPath returns the /proc path of an open descriptor.
func fdPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// pathRules returns the rules for a path, none if it does not exist. It follows no links: the path contained none when the
// run started, so an earlier program may have created them.
func pathRules(path string, file, folder landlock.AccessFSSet) []landlock.Rule {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return nil
	}
	var info unix.Stat_t
	if unix.Fstat(fd, &info) != nil {
		return nil
	}
	if info.Mode&unix.S_IFMT == unix.S_IFDIR {
		file = folder
	}
	return []landlock.Rule{landlock.PathAccess(file, fdPath(fd))}
}

// dropCapabilities drops root's capabilities except keptCapabilities. With no_new_privs they cannot be regained.
func dropCapabilities() error {
	header := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if err := unix.Capget(header, &have[0]); err != nil {
		return err
	}
	keep := [2]uint32{keptCapabilities, 0}
	for i := range have {
		have[i].Effective &= keep[i]
		have[i].Permitted &= keep[i]
		have[i].Inheritable &= keep[i]
	}
	return unix.Capset(header, &have[0])
}

// Supported queries the kernel.
func Supported() Support {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		abi = 0
	}
	var reaper int
	_, err = os.Stat("/proc/thread-self/children")
	return Support{
		Landlock:   abi,
		Seccomp:    canFilter(),
		Subreaper:  unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&reaper)), 0, 0, 0) == nil,
		NoNewPrivs: hasPrctlOption(unix.PR_GET_NO_NEW_PRIVS),
		Children:   err == nil,
	}
}

func hasPrctlOption(option int) bool {
	_, err := unix.PrctlRetInt(option, 0, 0, 0, 0)
	return err == nil
}

func (c *Confinement) check(has Support) error {
	if !has.Subreaper || !has.Children || !has.NoNewPrivs {
		return &StartError{Kind: Unsupported, Err: errors.New("this system cannot track the processes of a program (it needs a subreaper, no_new_privs and /proc)")}
	}
	for _, s := range c.Sandboxes {
		switch {
		case s.Optional:
		case has.Landlock < minLandlock:
			return &StartError{Kind: Unsupported, Err: fmt.Errorf("a sandbox needs Landlock version %d (Linux 6.2), this system has %d", minLandlock, has.Landlock)}
		case !has.Seccomp:
			return &StartError{Kind: Unsupported, Err: errors.New("a sandbox needs seccomp filters, which this system lacks")}
		}
	}
	return nil
}
