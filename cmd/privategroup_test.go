package cmd

import "testing"

// C3: a group is private only if the user is its only member.
func TestIsPrivateGroup(t *testing.T) {
	const users = "root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\nbob:x:1001:100::/home/bob:/bin/sh\neve:x:1002:100::/home/eve:/bin/sh\n"
	for _, c := range []struct {
		groups   string
		uid, gid uint32
		want     bool
	}{
		{"ada:x:1000:\n", 1000, 1000, true},
		{"ada:x:1000:ada\n", 1000, 1000, true},
		{"ada:x:1000:eve\n", 1000, 1000, false},
		{"ada:x:1000:ada,eve\n", 1000, 1000, false},
		{"ada:x:1000:\nteam:x:1000:eve\n", 1000, 1000, false},
		{"staff:x:1000:\n", 1000, 1000, false},
		{"users:x:100:\n", 1001, 100, false},
		{"bob:x:100:\n", 1001, 100, false},
		{"ada:x:1000:\n", 1001, 1000, false},
		{"", 1000, 1000, false},
	} {
		if got := isPrivateGroup(users, c.groups, c.uid, c.gid); got != c.want {
			t.Errorf("%q, user %d, group %d: %v", c.groups, c.uid, c.gid, got)
		}
	}
}
