package cmd

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestNewBuild(t *testing.T) {
	recorded := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	for _, tt := range []struct {
		name, linked string
		info         *debug.BuildInfo
		want         string
	}{
		{"nothing recorded", "", nil, "oneshot dev (" + runtime.Version() + ")"},
		{"built in place", "", recorded("(devel)"), "oneshot dev (" + runtime.Version() + ")"},
		{"installed", "", recorded("v1.2.3"), "oneshot v1.2.3 (" + runtime.Version() + ")"},
		{"linked", "v2.0.0", recorded("v1.2.3"), "oneshot v2.0.0 (" + runtime.Version() + ")"},
		{"commit", "v2.0.0", recorded("", "vcs.revision", "abc", "vcs.modified", "false"), "oneshot v2.0.0 (abc, " + runtime.Version() + ")"},
		{"changed files", "", recorded("", "vcs.modified", "true", "vcs.revision", "abc"), "oneshot dev (abc+dirty, " + runtime.Version() + ")"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := newBuild(tt.linked, tt.info).String(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
