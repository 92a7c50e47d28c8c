package cmd

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// writableByOthers are the mode bits that let users other than the owner change a file.
const writableByOthers = fs.FileMode(0o022)

// canOthersWrite reports whether users other than the owner can change a file. With a umask of 002, which many systems set,
// files are writable by the private group of their owner; it has no other member, so it does not count.
func canOthersWrite(path string, info fs.FileInfo) bool {
	mode := info.Mode().Perm() & writableByOthers
	stat, ok := info.Sys().(*syscall.Stat_t)
	if mode != 0o020 || !ok || mayHaveAccessList(path) { // with an access list, the group bits are the mask of its users and groups
		return mode != 0
	}
	users, _ := os.ReadFile("/etc/passwd") // without the files no group is private
	groups, _ := os.ReadFile("/etc/group")
	return !isPrivateGroup(string(users), string(groups), stat.Uid, stat.Gid)
}

// isPrivateGroup reports whether a group has one member, the user. Users and groups are in the formats of passwd(5) and
// group(5).
func isPrivateGroup(users, groups string, uid, gid uint32) bool {
	user := ""
	for line := range strings.Lines(users) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		switch {
		case len(fields) < 4 || fields[3] != strconv.FormatUint(uint64(gid), 10):
		case fields[2] != strconv.FormatUint(uint64(uid), 10):
			return false // the group is also that of another user
		default:
			user = fields[0]
		}
	}
	isFound := false
	for line := range strings.Lines(groups) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) < 4 || fields[2] != strconv.FormatUint(uint64(gid), 10) {
			continue
		}
		if isFound || fields[0] != user || fields[3] != "" && fields[3] != user {
			return false
		}
		isFound = true
	}
	return isFound
}
