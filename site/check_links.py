"""Fails if a link of a built site leads to a missing file, or to a heading that its page lacks.

Usage: check_links.py FOLDER
"""

import functools
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links of a page, and the names of its elements to which links can lead."""

    def __init__(self, path):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name"):
                self.names.add(value)


read = functools.cache(Page)


def dead_links(root, path):
    for link in read(path).links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
        target = target / "index.html" if target.is_dir() else target
        if not target.is_file():
            yield f"{path.relative_to(root)}: {link} leads nowhere"
        elif parts.fragment and target.suffix == ".html" and target.parent.name != "playground":
            if urllib.parse.unquote(parts.fragment) not in read(target).names:
                yield f"{path.relative_to(root)}: {link}: the page has no such heading"


def main(root):
    pages = sorted(root.rglob("*.html"))
    dead = [complaint for path in pages for complaint in dead_links(root, path)]
    print("\n".join(dead) or f"{len(pages)} pages, whose links lead somewhere")
    return bool(dead) or not pages


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
