package subprocess

import (
	"maps"
	"slices"
	"strings"
)

// unsafeNames are variables that change which code a program loads or runs; unsafePrefixes are prefixes of such names. PATH
// is set from [Confinement.Path].
var unsafeNames = []string{
	"PATH", "ENV", "BASH_ENV", "BASHOPTS", "SHELLOPTS", "IFS", "PS4", "PROMPT_COMMAND", "CDPATH", "FPATH", "ZDOTDIR", "GLOBIGNORE",
	"GCONV_PATH", "GETCONF_DIR", "LOCPATH", "MALLOC_TRACE", "NIS_PATH", "NLSPATH", "RESOLV_HOST_CONF",
	"RES_OPTIONS", "TZDIR", "GLIBC_TUNABLES", "TERMINFO", "TERMINFO_DIRS",
	"GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_ASKPASS", "GIT_PROXY_COMMAND",
	"GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"EDITOR", "VISUAL", "PAGER", "MANPAGER", "SYSTEMD_PAGER", "SYSTEMD_EDITOR", "BROWSER", "SHELL", "LESS", "LESSOPEN", "LESSCLOSE", "MANOPT", "VIMINIT", "EXINIT",
	"SSH_ASKPASS", "SUDO_ASKPASS", "RSYNC_RSH", "CVS_RSH", "RSH", "SVN_SSH", "SVN_EDITOR", "HGEDITOR", "HGMERGE",
	"NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "BUN_OPTIONS",
	"PERL5LIB", "PERLLIB", "PERL5OPT", "PERL5DB", "PERL5SHELL",
	"RUBYOPT", "RUBYLIB", "RUBYSHELL", "BUNDLE_GEMFILE",
	"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS", "CLASSPATH", "MAVEN_OPTS", "MAVEN_ARGS", "GRADLE_OPTS", "ANT_OPTS", "ANT_ARGS",
	"DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER_PATH", "CORECLR_ENABLE_PROFILING", "COR_PROFILER_PATH", "COR_ENABLE_PROFILING", "DOTNET_ADDITIONAL_DEPS",
	"PHPRC", "PHP_INI_SCAN_DIR", "ERL_LIBS", "ERL_INETRC", "ELIXIR_ERL_OPTIONS", "AWKPATH", "AWKLIBPATH", "TCLLIBPATH", "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON", "R_ENVIRON_USER", "JULIA_LOAD_PATH", "JULIA_DEPOT_PATH", "GUILE_LOAD_PATH", "OCAMLRUNPARAM",
	"MAKEFLAGS", "MAKEFILES", "GNUMAKEFLAGS", "MFLAGS", "TAR_OPTIONS", "GZIP", "XZ_OPT", "XZ_DEFAULTS", "ZIPOPT", "UNZIP", "GREP_OPTIONS", "CURL_HOME", "WGETRC", "SYSTEM_WGETRC",
	"GOFLAGS", "GOTOOLDIR", "RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS",
	"COMPILER_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH", "CPATH", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
	"GTK_MODULES", "GTK_PATH", "GIO_EXTRA_MODULES", "GDK_PIXBUF_MODULE_FILE", "QT_PLUGIN_PATH", "QML2_IMPORT_PATH",

	"SSLKEYLOGFILE",
}

var unsafePrefixes = []string{"LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG", "GIT_TRACE", "PYTHON", "NPM_CONFIG_", "PIP_", "LUA_INIT", "LUA_PATH", "LUA_CPATH", "ERL_FLAGS", "ERL_AFLAGS", "ERL_ZFLAGS"}

// UnsafeVariable reports whether an environment variable can change the code that a program runs or loads, or its options,
// or is set by other means here. Tool programs never get it. Case is ignored.
func UnsafeVariable(name string) bool {
	name = strings.ToUpper(name)
	return slices.Contains(unsafeNames, name) ||
		slices.ContainsFunc(unsafePrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// environment returns the environment of a program: the standard variables, overridden by more.
func (c *Confinement) environment(temp string, more []string) ([]base64Text, error) {
	vars := map[string]string{"PATH": strings.Join(c.SearchPath(), ":"), "HOME": temp, "TMPDIR": temp, "LANG": "C.UTF-8"}
	if c.Zone != "" {
		vars["TZ"] = c.Zone
	}
	for _, entry := range more {
		name, value, ok := strings.Cut(entry, "=")
		switch {
		case !ok || name == "" || strings.ContainsRune(entry, 0):
			return nil, refusedf("an environment variable is not NAME=value")
		case UnsafeVariable(name):
			return nil, refusedf("the variable %s can change what a program runs", name)
		}
		vars[name] = value
	}
	var env []base64Text
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, base64Text(name+"="+vars[name]))
	}
	return env, nil
}
