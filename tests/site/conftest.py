"""Adds the folder of the site's generators, which are scripts, to the path."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.append(str(ROOT / "site"))
