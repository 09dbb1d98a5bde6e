#!/usr/bin/env python3
"""Checks C++ files with clang-tidy, several at a time, and skips files that were clean before.

Usage: clang_tidy.py BUILD:PATH...

PATH is a file, or a folder of files, to check with the commands in BUILD/compile_commands.json.

A file is skipped if none of these has changed since it was clean: the file and its includes, its command, the files
.clang-tidy above it, and clang-tidy. All clones share this cache in ${XDG_CACHE_HOME:-~/.cache}/strew/clang-tidy, which may
be removed at any time. Findings are not cached.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "strew" / "clang-tidy"
TIDY, CLANG = "clang-tidy", "clang++"
_OF_GCC = r' -include [^ ]*cmake_pch\.hxx| -(mmem(set|cpy)-strategy|-param)=[^ "]+'


def digest(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@functools.cache
def content(path):
    """Return the digest of a file, or None if the file does not exist."""
    try:
        return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def elsewhere(text):
    """Return the text without the path of this clone."""
    return text.replace(str(ROOT), "$ROOT")


class Commands:
    """The commands of a build folder, copied without what only g++ understands."""

    def __init__(self, build, files):
        text = (ROOT / build / "compile_commands.json").read_text()
        entries = {entry["file"]: entry for entry in json.loads(re.sub(_OF_GCC, "", text))}
        for file in files:  # a file that is not built is checked with its neighbour's command
            if file not in entries:
                neighbour = max(entries, key=lambda other: len(os.path.commonprefix([other, file])))
                command = entries[neighbour]["command"].replace(neighbour, file)
                entries[file] = entries[neighbour] | {"file": file, "command": command}
        self.entries = entries
        self.folder = ROOT / "build" / "tidy" / build
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "compile_commands.json").write_text(json.dumps(list(entries.values()), indent=1))

    def includes(self, file):
        """Return the includes of a file, and the file itself; None if clang reports an error."""
        entry = self.entries[file]
        words = shlex.split(re.sub(r" -o \S+", " ", entry["command"]))
        command = [CLANG, *words[1:], "-M", "-w", "-D__clang_analyzer__"]
        done = subprocess.run(command, cwd=entry["directory"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None
        names = shlex.split(done.stdout.replace("\\\n", " "))[1:]
        return sorted({os.path.normpath(os.path.join(entry["directory"], name)) for name in names})


def fixed_part(commands, file, version):
    """Return the digest of the command and the settings of a file."""
    rules = [content(parent / ".clang-tidy") or "" for parent in pathlib.Path(file).parents if parent.is_relative_to(ROOT)]
    return digest(version, elsewhere(commands.entries[file]["command"]), *rules)


def known_clean(folder):
    """Return whether a clean version in the cache folder equals the current file and its includes."""
    versions = [path.read_text().splitlines() for path in folder.glob("*")]
    return any(all(content(path.replace("$ROOT", str(ROOT))) == seen for seen, path in (line.split(" ", 1) for line in lines)) for lines in versions)


def read(commands, file, version):
    """Check a file unless the cache says that it is clean. Return whether it is clean, and whether it was checked."""
    folder = CACHE / fixed_part(commands, file, version)
    if known_clean(folder):
        return True, False
    lines = [f"{content(path)} {elsewhere(path)}" for path in commands.includes(file) or ()]
    done = subprocess.run([TIDY, "--quiet", "-p", commands.folder, file], capture_output=True, text=True, check=False)
    told = done.stdout + re.sub(r"^\d+ warnings? generated\.\n", "", done.stderr, flags=re.M)
    if done.returncode == 0 and not told.strip() and lines:
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = folder.parent / f"{os.getpid()}-{digest(file)}"
        unfinished.write_text("\n".join(lines))
        unfinished.rename(folder / digest(*lines))
    print(told, end="", flush=True)
    return done.returncode == 0, True


def source_files(path):
    """Return the path itself if it is a file, or else the .cc files in the folder, except files for nvcc."""
    files = path.rglob("*.cc") if path.is_dir() else [path]
    return [str(file) for file in sorted(files) if "nvidia" not in file.parts]


def longest_first(job):
    """Return False, which sorts first, for files compiled for each instruction set: they take longest."""
    return "foreach_target.h" not in pathlib.Path(job[1]).read_text()


def main(arguments):
    begin = time.monotonic()
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
    by_build = {}
    for argument in arguments:
        build, _, path = argument.partition(":")
        by_build.setdefault(build, []).extend(source_files(ROOT / path))
    jobs = []
    for build, files in by_build.items():
        commands = Commands(build, files)
        jobs += [(commands, file) for file in files]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda job: read(*job, version), sorted(jobs, key=longest_first)))
    wrong = sum(not fine for fine, _ in answers)
    print(f"clang-tidy: {len(jobs)} files, of which {sum(was_read for _, was_read in answers)} were read and "
          f"{wrong} have findings, in {time.monotonic() - begin:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
