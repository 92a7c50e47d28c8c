package tool

// An interpreter is a program that runs a text. The knowledge is of the usual ones, for
// definitions that were not meant so; it is no defence against who writes definitions.
type interpreter struct {
	names   []string
	flags   []string // options behind which the text is
	files   []string // options behind which a file is that holds it, or -
	valued  []string // options with another value behind them
	words   []string // what in a text runs another text
	operand bool     // the first operand is the text, where no option gives one
	shell   bool     // the text is one of a shell
	stdin   bool     // without a text and a file it reads the text from stdin
	joined  bool     // behind the first operand all words are the text
}

var scriptWords = []string{"eval", "exec", "execSync", "system", "popen", "qx", "shell_exec", "passthru", "child_process", "loadstring", "instance_eval"}

var interpreters = []interpreter{
	{names: []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh"}, flags: []string{"-c"},
		valued: []string{"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}, shell: true, stdin: true},
	{names: []string{"python", "pypy"}, flags: []string{"-c"}, files: []string{"-m"}, valued: []string{"-W", "-X"}, words: scriptWords, stdin: true},
	{names: []string{"perl", "ruby", "lua", "luajit"}, flags: []string{"-e", "-E"}, valued: []string{"-I", "-l"}, words: scriptWords, stdin: true},
	{names: []string{"node", "nodejs", "bun"}, flags: []string{"-e", "--eval", "-p", "--print"}, valued: []string{"-r", "--require"}, words: scriptWords, stdin: true},
	{names: []string{"php"}, flags: []string{"-r", "-B", "-R", "-E"}, files: []string{"-f"}, valued: []string{"-d"}, words: scriptWords, stdin: true},
	{names: []string{"awk", "gawk", "mawk", "nawk"}, flags: []string{"-e", "--source"}, files: []string{"-f", "--file", "-E", "--exec"},
		valued: []string{"-v", "-F", "--assign", "--field-separator"}, words: scriptWords, operand: true},
	{names: []string{"sed", "gsed"}, flags: []string{"-e", "--expression"}, files: []string{"-f", "--file"}, valued: []string{"-l", "--line-length"}, operand: true},
	{names: []string{"pwsh", "powershell"}, flags: []string{"-c", "-Command", "-EncodedCommand"}, files: []string{"-f", "-File"}, words: scriptWords, stdin: true},
	{names: []string{"osascript", "Rscript", "R"}, flags: []string{"-e"}, words: scriptWords, stdin: true},
	{names: []string{"expect", "tclsh", "gdb"}, flags: []string{"-c", "-ex", "-eval-command"}, words: scriptWords, stdin: true},
	{names: []string{"at", "batch", "crontab", "parallel", "ed", "ex", "dc", "m4"}, files: []string{"-f"}, stdin: true},
	{names: []string{"su", "runuser", "script"}, flags: []string{"-c", "--command"}, shell: true, stdin: true},
	{names: []string{"ssh"}, valued: []string{"-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q", "-R", "-S", "-W", "-w"},
		stdin: true, joined: true},
}

// A starter is a program that starts the one among its arguments.
type starter struct {
	name     string
	valued   []string // options with a value behind them
	flags    []string // options behind which a text is that is split into a program and its arguments
	operands int      // before the program
	assigns  bool     // NAME=VALUE before the program sets a variable
	execs    []string // only behind one of these there is a program
}

var starters = []starter{
	{name: "env", valued: []string{"-u", "--unset", "-C", "--chdir"}, flags: []string{"-S", "--split-string"}, assigns: true},
	{name: "sudo", valued: []string{"-u", "-g", "-h", "-p", "-C", "-T", "-r", "-t", "-D"}, assigns: true},
	{name: "doas", valued: []string{"-u", "-C"}},
	{name: "nice", valued: []string{"-n"}},
	{name: "ionice", valued: []string{"-c", "-n", "-p", "-P", "-u"}},
	{name: "timeout", valued: []string{"-s", "-k"}, operands: 1},
	{name: "stdbuf", valued: []string{"-i", "-o", "-e"}},
	{name: "xargs", valued: []string{"-I", "-n", "-P", "-d", "-a", "-E", "-L", "-s"}},
	{name: "time", valued: []string{"-f", "-o"}},
	{name: "flock", valued: []string{"-w", "-E"}, flags: []string{"-c"}, operands: 1},
	{name: "chroot", operands: 1}, {name: "taskset", operands: 1}, {name: "chrt", operands: 1},
	{name: "strace", valued: []string{"-e", "-o", "-p", "-E", "-s"}}, {name: "unshare"}, {name: "nohup"}, {name: "setsid"}, {name: "busybox"},
	{name: "find", execs: []string{"-exec", "-execdir", "-ok", "-okdir"}},
}
