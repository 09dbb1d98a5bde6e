"""Tests scripts/clang_tidy.py: it checks a clean file once, checks it again after any change, and loses no finding.

Scripts replace clang-tidy and clang. They report every "bad" in a file or its header. Usage: clang_tidy_memory.py ROOT
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FAKES = {
    "clang-tidy": '[ "$1" = --version ] && exec cat "$HOME/version"\n'
    'file=$4; ! grep -n bad "$file" "$(dirname "$file")/header.h"',
    "clang++": 'for file; do case $file in *.cc) echo "x.o: $file \\\\"; echo " $(dirname "$file")/header.h" ;; esac; done',
}


class Clone:
    def __init__(self, home, name):
        self.home, self.root = home, home / name
        for folder in ("scripts", "build-tidy", "src"):
            (self.root / folder).mkdir(parents=True)
        shutil.copy(pathlib.Path(sys.argv[1]) / "scripts" / "clang_tidy.py", self.root / "scripts")
        self.write("src/a.cc", "good").write("src/header.h", "good").write(".clang-tidy", "")
        self.compile("-O2")

    def write(self, path, text):
        (self.root / path).write_text(text)
        return self

    def compile(self, option):
        file = str(self.root / "src" / "a.cc")
        entry = {"directory": str(self.root), "file": file, "command": f"c++ {option} -I{self.root} -o a.o -c {file}"}
        return self.write("build-tidy/compile_commands.json", json.dumps([entry]))

    def read(self):
        """Run the script, and return the number of checked files and the number of files with findings."""
        environment = {"PATH": f"{self.home / 'bin'}:{os.environ['PATH']}", "HOME": str(self.home)}
        command = [sys.executable, self.root / "scripts" / "clang_tidy.py", "build-tidy:src"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        words = done.stdout.splitlines()[-1].split()
        read, wrong = int(words[5]), int(words[9])
        assert (done.returncode != 0) == (wrong > 0), done
        return read, wrong


def main():
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        (home / "bin").mkdir()
        (home / "version").write_text("14")
        for name, text in FAKES.items():
            (home / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
            (home / "bin" / name).chmod(0o755)
        clone = Clone(home, "one")
        assert clone.read() == (1, 0)
        assert clone.read() == (0, 0), "a clean file is not read again"
        assert Clone(home, "two").read() == (0, 0), "nor in another clone"
        for path in ("src/a.cc", "src/header.h"):
            for _ in range(2):
                assert clone.write(path, "bad").read() == (1, 1), "a finding is told each time"
            assert clone.write(path, "good").read() == (0, 0), "what was clean before still is"
        assert clone.compile("-O1").read() == (1, 0), "another command"
        assert clone.write(".clang-tidy", "Checks: '*'").read() == (1, 0), "other checks"
        (home / "version").write_text("15")
        assert clone.read() == (1, 0), "another clang-tidy"
        assert clone.read() == (0, 0)
    print("clean files are checked once, and findings are reported each time")


if __name__ == "__main__":
    main()
