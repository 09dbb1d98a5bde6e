"""The generators of the site are scripts: adds their folder to the path."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.append(str(ROOT / "site"))
