"""Sphinx's settings for the site. scripts/build_site.sh runs Sphinx on the files that stage.py writes."""

import pathlib
import sys
from importlib.metadata import version as installed

sys.path.append(str(pathlib.Path(__file__).parent))
import torch_stand_in  # noqa: E402, F401

project = "Strew"
author = "the Strew developers"
copyright = author
version = release = installed("strew")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
myst_heading_anchors = 4
default_role = "literal"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_param = False
napoleon_use_rtype = False
autodoc_member_order = "alphabetical"
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"Strew {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}


def setup(app):
    """Omits the fields of named tuples, which the docstring of the class describes."""
    app.connect("autodoc-skip-member", lambda app, what, name, value, skip, options: skip or str(value.__doc__).startswith("Alias for field"))
