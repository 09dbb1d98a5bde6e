"""Fails if no test compiles, runs or checks a block of code in a document.

Usage: documented_code.py SOURCE_FOLDER                        checks the blocks, and the names in shell commands
       documented_code.py SOURCE_FOLDER --write FOLDER         writes the C++ of the documents as programs, prints their names
       documented_code.py SOURCE_FOLDER --run PROGRAM PAGE     runs a program and compares its output with the page
       documented_code.py SOURCE_FOLDER --consumer FOLDER      writes the README's project: CMakeLists.txt and app.cc

Every block has a language, and each language its test:

cpp      is compiled. A page may have one whole program with the line `// ...`. There the page's other blocks are inserted,
         the blocks of a section in one scope, with their includes at the top. A program is also run. Its standard output
         must equal the comments after `std::cout`, and the page must contain its standard error.
cmake    is the CMakeLists.txt of a user's project, with the README's C++ as its app.cc. tests/consumer builds the project.
sh       is run: quick commands by tests/python/test_documents.py, others in a fresh clone by tests/documented_commands.py,
         which lists the commands that are not run. This program checks that targets, scripts and presets exist.
pycon, python    are run by tests/python/test_documents.py; blocks about ONNX Runtime are run by tests/onnxruntime.
text     is not code: TEXT gives the reason for each block.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parent / "support"))
sys.path.append(str(pathlib.Path(__file__).parent))
import documented_commands  # noqa: E402
from document_blocks import all_blocks, commands  # noqa: E402

HERE = "// ..."
TEXT = {
    ("HACKING.md", "The tree"): "folders; each must exist",
    ("conformance/README.md", "The cases"): "names of files that --write makes",
    ("docs/onnxruntime.md", "Does it work?"): "output of the block above it, which tests/onnxruntime/test_documents.py compares",
    ("docs/design.md", "Design"): "the stages of a call",
    ("docs/torch-install.md", "What is handled"): "output of counts(), which tests/torch/test_install.py compares",
    ("docs/playground.md", "A call as the fragment of a URL"): "an address and its grammar, which tests/python/test_picture.py tests",
}


def programs(root):
    """Return the C++ programs of the documents: {name of a file: its text}."""
    found, frames = {}, {}
    for block in all_blocks(root):
        if block.language != "cpp":
            continue
        numbered = f'#line {block.line} "{block.page}"\n{block.text}'
        name = re.sub(r"\W+", "_", block.page.removesuffix(".md")).lower()
        if HERE in block.text:
            frames[name] = (block, {})
        elif "#include" in block.text and name not in frames:
            found[f"{name}_{len(found)}.cc"] = numbered
        else:
            assert name in frames, f"{block.page}:{block.line}: neither a file of its own nor part of a program above"
            frames[name][1].setdefault(block.section, []).append(block)
    for name, (frame, sections) in frames.items():
        includes, body = set(), []
        for blocks in sections.values():
            body.append("  if (const int code = [&]() -> int {\n")
            for block in blocks:
                lines = block.text.splitlines()
                includes |= {line for line in lines if line.startswith("#include")}
                lines = ["" if line.startswith("#include") else line for line in lines]
                body.append("\n".join([f'#line {block.line} "{block.page}"', *lines, ""]))
            body.append("  return 0;\n  }(); code != 0) return code;\n")
        before, after = frame.text.split(HERE)
        begin = f'#line {frame.line} "{frame.page}"\n'
        found[f"{name}.cc"] = "".join([*(f"{line}\n" for line in sorted(includes)), begin, before, "\n", *body, after])
    return found


def write_changed(path, text):
    """Write a file unless it has this text already, so that it is not compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_consumer(root, folder):
    """Write the project that the README shows."""
    shown = {block.language: block.text for block in all_blocks(root) if block.page == "README.md"}
    write_changed(folder / "CMakeLists.txt", shown["cmake"])
    write_changed(folder / "app.cc", shown["cpp"])


def write(root, folder):
    """Write the programs, and print the names of the programs to build and run."""
    entries = []
    for name, text in programs(root).items():
        path = folder / name
        write_changed(path, text)
        page = re.search(r'#line \d+ "(.*)"', text)[1]
        entries.append(f"{path}|{page}|{'program' if 'int main(' in text else 'part'}")
    print(";".join(entries), end="")


def run(root, program, page):
    """Yield the errors of a program of a page."""
    done = subprocess.run([program], cwd=root, capture_output=True, text=True)
    shown = (root / page).read_text("utf-8")
    expected = " ".join(re.findall(r"std::cout.*?// (.*)", shown))
    if done.returncode != 0:
        yield f"{page}: the program ends with {done.returncode}: {done.stderr}"
    if " ".join(done.stdout.split()) != expected:
        yield f"{page}: prints {done.stdout!r}, but the page has {expected!r}"
    for line in done.stderr.splitlines():
        if line not in " ".join(shown.split()):
            yield f"{page}: does not say {line!r}"


class Shell:
    """Checks that targets, scripts and presets in shell commands exist. documented_commands.py runs the commands."""

    def __init__(self, root):
        self.root = root
        self.makefile = (root / "Makefile").read_text()
        self.presets = json.loads((root / "CMakePresets.json").read_text())

    def complaints(self, command):
        """Yield the errors in one command."""
        words = shlex.split(command, comments=True)
        while words and re.match(r"\w+=", words[0]):
            words.pop(0)
        if words[:1] == ["make"]:
            yield from self.make(words[1:])
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if re.match(r"scripts/|tests/", word) and not (self.root / word).exists():
                yield f"there is no {word}"
            kind = "workflowPresets" if words[0] == "cmake" else "testPresets"
            if word == "--preset" and following not in [preset["name"] for preset in self.presets[kind]]:
                yield f"there is no preset {following}"

    def make(self, words):
        for word in words:
            name = word.partition("=")[0]
            if "=" not in word and not re.search(rf"^{word}:", self.makefile, re.M):
                yield f"make has no target {word}"
            if "=" in word and f"$({name})" not in self.makefile:
                yield f"the Makefile does not know {name}"


def check(root):
    """Yield the errors in all blocks."""
    shell = Shell(root)
    pages = {"cpp": ["README.md", "docs/cpp.md", "docs/cuda.md"], "cmake": ["README.md"]}
    unused = set(TEXT)
    for block in all_blocks(root):
        where = f"{block.page}:{block.line}"
        if block.language == "sh":
            if (done := subprocess.run(["bash", "-n"], input=block.text, text=True, capture_output=True)).returncode:
                yield f"{where}: {done.stderr}"
            for command in commands(block.text):
                yield from (f"{where}: {complaint}" for complaint in shell.complaints(command))
        elif block.language == "text":
            key = (block.page, block.section)
            unused.discard(key)
            if key not in TEXT:
                yield f"{where}: a block of text for which TEXT has no reason"
            elif key == ("HACKING.md", "The tree"):
                folders = re.findall(r"^([\w/]+/)\s", block.text, re.M)
                yield from (f"{where}: there is no {folder}" for folder in folders if not (root / folder).is_dir())
        elif block.language in pages:
            if block.page not in pages[block.language]:
                yield f"{where}: no test compiles the {block.language} of this page"
        elif block.language not in ("pycon", "python"):
            yield f"{where}: a block with the language {block.language!r}, which no test checks"
    yield from (f"TEXT names a block that does not exist: {key}" for key in sorted(unused))
    yield from documented_commands.complaints(root)


def main(arguments):
    root = pathlib.Path(arguments[0]).resolve()
    if arguments[1:2] in (["--write"], ["--consumer"]):
        return (write if arguments[1] == "--write" else write_consumer)(root, pathlib.Path(arguments[2]))
    wrong = list(run(root, *arguments[2:]) if arguments[1:2] == ["--run"] else check(root))
    print("\n".join(wrong) or "a test checks every block of code")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
