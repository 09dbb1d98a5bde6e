"""Runs the page that make playground has built in a real browser: Debian's Chromium, driven by playwright."""

import base64
import pathlib
import shutil
import threading

import pytest
from playwright.sync_api import sync_playwright
from strew import _playground

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "build" / "playground"


@pytest.fixture(scope="session")
def address():
    server = _playground.make_server(PAGE)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        assert chromium, "scripts/install_deps.sh release installs it"
        made = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield made
        made.close()


class Playground:
    """A tab with the page. The page must not send requests to other hosts, or write to the console."""

    def __init__(self, page, address):
        self.page = page
        self.address = address
        self.faults = []
        page.on("console", lambda message: self.faults.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self._saw(request.url))
        page.on("dialog", lambda dialog: self.faults.append(f"a dialog: {dialog.message}"))

    def _saw(self, url):
        if not url.startswith((self.address, f"blob:{self.address}", "blob:null/", "data:")):
            self.faults.append(f"asked {url}")

    def open(self, fragment=""):
        """Load the page with this fragment, as a link does."""
        self.page.goto("about:blank")
        self.page.goto(self.address + ("#" + fragment if fragment else ""))
        self.page.wait_for_selector("body[data-ready]")
        return self

    def round(self):
        return int(self.page.get_attribute("body", "data-round"))

    def after(self, act):
        """Call `act`, which changes the call, and wait for the new result."""
        before = self.round()
        act()
        self.page.wait_for_function("before => Number(document.body.dataset.round) > before", arg=before)
        return self

    def call(self, request, content=b""):
        """Return the module's answer to a request (apps/playground/module/bridge.cc)."""
        return self.page.evaluate(
            """([request, content]) => {
                const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0)).buffer;
                return playground.module.call(request, bytes);
            }""",
            [request, base64.b64encode(content).decode()],
        )

    def text(self, selector):
        return self.page.text_content(selector)


@pytest.fixture
def playground(browser, address):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    made = Playground(context.new_page(), address)
    yield made
    context.close()
    assert made.faults == []
