"""Writes what the fuzzers begin with: real models, tensors and arrays.

Usage: make_fuzz_seeds.py FOLDER EXAMPLES...

EXAMPLES are folders as `strew test` takes them. FOLDER gets model_fuzz/, tensor_fuzz/ and array_fuzz/, one small file for
each content.
"""

import hashlib
import io
import pathlib
import sys
import zipfile

import numpy as np

LONGEST = 2048  # bytes; longer seeds only slow a fuzzer down


def write(folder, content):
    folder.mkdir(parents=True, exist_ok=True)
    if len(content) <= LONGEST:
        (folder / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)


def npy(array):
    image = io.BytesIO()
    np.save(image, array)
    return image.getvalue()


def arrays():
    for descr in ["<f4", ">f8", "<i8", "|u1", "|b1", "<c16", "<f2", "|S3", "<U2", "<V2", "|V1"]:
        yield np.zeros((2, 3), descr) if descr[1] not in "SU" else np.array([["a", "bc"]], descr)
    yield np.asfortranarray(np.arange(6.0).reshape(2, 3))
    yield np.array(5)
    yield np.zeros((0, 4), "<i4")
    yield np.array(["x", None], object)
    yield np.zeros(2, [("a", "<f4"), ("b", "<i2")])


def archives():
    for save in (np.savez, np.savez_compressed):
        image = io.BytesIO()
        save(image, a=np.arange(5.0), b=np.zeros((2, 2), "<i8"))
        yield image.getvalue()
    image = io.BytesIO()
    with zipfile.ZipFile(image, "w") as archive:
        archive.writestr("not_an_array.txt", "text")
    yield image.getvalue()
    yield b"PK\x05\x06" + bytes(18)


def main(target, examples):
    for example in examples:
        for path in sorted(example.rglob("*.onnx")):
            write(target / "model_fuzz", path.read_bytes())
        for path in sorted(example.rglob("*.pb")):
            write(target / "tensor_fuzz", path.read_bytes())
    for array in arrays():
        for first in (b"\x00", b"\x20"):  # no type; bfloat16 for raw bytes
            write(target / "array_fuzz", first + npy(array))
    for archive in archives():
        write(target / "array_fuzz", b"\x01" + archive)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]])
