"""Tests ``python -m strew playground``, which serves the page only to this machine."""

import subprocess
import sys
import threading
import urllib.error
import urllib.request

import pytest
from strew import _playground


@pytest.fixture
def server(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html>")
    (tmp_path / "strew.js").write_text("const STREW = {};")
    made = _playground.make_server(tmp_path)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def get(server, path):
    host, port = server.server_address
    assert host == "127.0.0.1"
    with urllib.request.urlopen(f"http://{host}:{port}/{path}", timeout=10) as answer:
        return answer.read(), answer.headers


def test_the_page_and_its_scripts_have_the_types_that_browsers_ask_for(server):
    assert get(server, "")[0] == b"<!doctype html>"
    assert get(server, "strew.js")[1]["Content-Type"] == "text/javascript"
    assert get(server, "")[1]["X-Content-Type-Options"] == "nosniff"


def test_folders_are_not_listed(server):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        get(server, "more/")


def test_a_folder_without_a_page_is_one_line_and_exit_code_2(tmp_path):
    done = subprocess.run([sys.executable, "-m", "strew", "playground", str(tmp_path)], capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == (f"strew: playground: no page in {tmp_path}: it has no index.html; in a checkout of Strew's "
                           "source, 'make playground' puts the page in build/playground\n")


def test_a_package_without_the_page_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr(_playground, "PAGE", tmp_path)
    with pytest.raises(FileNotFoundError, match="this package was built without the playground; in a checkout"):
        _playground.make_server(tmp_path)


def test_it_says_where_the_call_is_to_be_seen(tmp_path):
    (tmp_path / "index.html").write_text("")
    command = [sys.executable, "-m", "strew", "playground", str(tmp_path), "--no-browser", "--call", "x.org/#Gather-13?axis=1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline().strip()
        process.kill()
    assert line.startswith("http://127.0.0.1:") and line.endswith("/#Gather-13?axis=1")
