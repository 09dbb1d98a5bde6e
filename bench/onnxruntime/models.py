"""The models and their inputs, by name. As a program, writes them into a folder: NAME/model.onnx and NAME/inputs.npz.

Usage: models.py FOLDER [--only NAME ...]
"""

import argparse
import pathlib

import decoder
import networks
import nodes
import numpy as np
import onnx

CASES = nodes.CASES | networks.CASES | decoder.CASES


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=list(CASES), choices=list(CASES), metavar="NAME")
    options = parser.parse_args()
    for name in options.only:
        folder = options.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(CASES[name].model(), folder / "model.onnx")
        np.savez(folder / "inputs.npz", **CASES[name].feeds())
        print(folder)


if __name__ == "__main__":
    main()
