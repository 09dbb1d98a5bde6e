"""The generators of the site are scripts: their folder is put in the path."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.append(str(ROOT / "site"))
