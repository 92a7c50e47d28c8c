package tool

// An interpreter is a program that runs code from its arguments. The list covers the usual ones and catches mistakes;
// it does not protect against malicious definitions.
type interpreter struct {
	names              []string
	textOptions        []string // options followed by the code
	fileOptions        []string // options followed by a file with the code, or -
	valueOptions       []string // other options followed by a value
	evalWords          []string // words in code that run other code
	firstOperandIsText bool     // the first operand is the code if no option has it
	isShell            bool     // the code is shell code
	readsStdin         bool     // reads code from stdin if there is neither code nor file
	joinsOperands      bool     // all words after the first operand are the code
}

var scriptEvalWords = []string{"eval", "exec", "execSync", "system", "popen", "qx", "shell_exec", "passthru", "child_process", "loadstring", "instance_eval"}

var interpreters = []interpreter{
	{names: []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh"}, textOptions: []string{"-c"},
		valueOptions: []string{"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}, isShell: true, readsStdin: true},
	{names: []string{"python", "pypy"}, textOptions: []string{"-c"}, fileOptions: []string{"-m"}, valueOptions: []string{"-W", "-X"}, evalWords: scriptEvalWords, readsStdin: true},
	{names: []string{"perl", "ruby", "lua", "luajit"}, textOptions: []string{"-e", "-E"}, valueOptions: []string{"-I", "-l"}, evalWords: scriptEvalWords, readsStdin: true},
	{names: []string{"node", "nodejs", "bun"}, textOptions: []string{"-e", "--eval", "-p", "--print"}, valueOptions: []string{"-r", "--require"}, evalWords: scriptEvalWords, readsStdin: true},
	{names: []string{"php"}, textOptions: []string{"-r", "-B", "-R", "-E"}, fileOptions: []string{"-f"}, valueOptions: []string{"-d"}, evalWords: scriptEvalWords, readsStdin: true},
	{names: []string{"awk", "gawk", "mawk", "nawk"}, textOptions: []string{"-e", "--source"}, fileOptions: []string{"-f", "--file", "-E", "--exec"},
		valueOptions: []string{"-v", "-F", "--assign", "--field-separator"}, evalWords: scriptEvalWords, firstOperandIsText: true},
	{names: []string{"sed", "gsed"}, textOptions: []string{"-e", "--expression"}, fileOptions: []string{"-f", "--file"}, valueOptions: []string{"-l", "--line-length"}, firstOperandIsText: true},
	{names: []string{"pwsh", "powershell"}, textOptions: []string{"-c", "-Command", "-EncodedCommand"}, fileOptions: []string{"-f", "-File"}, evalWords: scriptEvalWords, readsStdin: true},
	{names: []string{"osascript", "Rscript", "R"}, textOptions: []string{"-e"}, evalWords: scriptEvalWords, readsStdin: true},
	{names: []string{"expect", "tclsh", "gdb"}, textOptions: []string{"-c", "-ex", "-eval-command"}, evalWords: scriptEvalWords, readsStdin: true},
	{names: []string{"at", "batch", "crontab", "parallel", "ed", "ex", "dc", "m4"}, fileOptions: []string{"-f"}, readsStdin: true},
	{names: []string{"su", "runuser", "script"}, textOptions: []string{"-c", "--command"}, isShell: true, readsStdin: true},
	{names: []string{"ssh"}, valueOptions: []string{"-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q", "-R", "-S", "-W", "-w"},
		readsStdin: true, joinsOperands: true},
}

// A wrapperProgram runs the program named in its arguments.
type wrapperProgram struct {
	name           string
	valueOptions   []string // options followed by a value
	textOptions    []string // options followed by a command line
	operands       int      // number of operands before the program
	setsVariables  bool     // NAME=VALUE before the program sets a variable
	programOptions []string // options that are followed by the program
}

var wrapperPrograms = []wrapperProgram{
	{name: "env", valueOptions: []string{"-u", "--unset", "-C", "--chdir"}, textOptions: []string{"-S", "--split-string"}, setsVariables: true},
	{name: "sudo", valueOptions: []string{"-u", "-g", "-h", "-p", "-C", "-T", "-r", "-t", "-D"}, setsVariables: true},
	{name: "doas", valueOptions: []string{"-u", "-C"}},
	{name: "nice", valueOptions: []string{"-n"}},
	{name: "ionice", valueOptions: []string{"-c", "-n", "-p", "-P", "-u"}},
	{name: "timeout", valueOptions: []string{"-s", "-k"}, operands: 1},
	{name: "stdbuf", valueOptions: []string{"-i", "-o", "-e"}},
	{name: "xargs", valueOptions: []string{"-I", "-n", "-P", "-d", "-a", "-E", "-L", "-s"}},
	{name: "time", valueOptions: []string{"-f", "-o"}},
	{name: "flock", valueOptions: []string{"-w", "-E"}, textOptions: []string{"-c"}, operands: 1},
	{name: "chroot", operands: 1}, {name: "taskset", operands: 1}, {name: "chrt", operands: 1},
	{name: "strace", valueOptions: []string{"-e", "-o", "-p", "-E", "-s"}}, {name: "unshare"}, {name: "nohup"}, {name: "setsid"}, {name: "busybox"},
	{name: "find", programOptions: []string{"-exec", "-execdir", "-ok", "-okdir"}},
}
