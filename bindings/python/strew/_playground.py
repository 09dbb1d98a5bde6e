"""The playground, a page that runs the library in the browser: ``python -m strew playground`` serves and opens it."""

import argparse
import functools
import http.server
import pathlib
import sys
import webbrowser
from typing import Any

PAGE = pathlib.Path(__file__).parent / "playground"


class _Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")  # this address may have served another version of the page
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        self.send_error(404)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def make_server(folder: pathlib.Path, port: int = 0) -> http.server.ThreadingHTTPServer:
    """Return an unstarted server for the page in `folder`. It listens on 127.0.0.1, at a free port if `port` is 0."""
    if not (folder / "index.html").is_file():
        why = (
            "this package was built without the playground; in a checkout of Strew's source, 'make playground' builds "
            "it, and then 'make wheel' puts it into a wheel"
            if folder == PAGE
            else "it has no index.html; in a checkout of Strew's source, 'make playground' puts the page in "
            "build/playground"
        )
        raise FileNotFoundError(f"no page in {folder}: {why}")
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(_Handler, directory=folder))


def main(arguments: list[str]) -> int:
    """Open the page in the browser, serve it until interrupted, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="strew playground", description="Serve the playground on this machine alone, and open it in the browser."
    )
    parser.add_argument(
        "folder", nargs="?", type=pathlib.Path, default=PAGE, help="folder of the page (default: that of this package)"
    )
    parser.add_argument("--port", type=int, default=0, help="the port on 127.0.0.1 (default: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--call", default="", metavar="URL", help="the call to show, from strew.picture(...).url()")
    given = parser.parse_args(arguments)
    try:
        server = make_server(given.folder, given.port)
    except OSError as error:
        print(f"strew: playground: {error}", file=sys.stderr)
        return 2
    fragment = given.call.rpartition("#")[2]
    address = f"http://127.0.0.1:{server.server_address[1]}/" + (f"#{fragment}" if fragment else "")
    print(f"{address}\nPress Ctrl-C to stop.", flush=True)
    if not given.no_browser:
        webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
