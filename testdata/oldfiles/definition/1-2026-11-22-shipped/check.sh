oneshot prompt --tools . --tool wget --tool file_put | grep "file_put(path: string, content: string"
