"""The site's own link checker finds dead links."""

import check_links
import pytest

GOOD = '<a id="top" href="#top"></a><a href="b.html#here"></a><a href="https://example.org/x"></a><img src="p.svg">'


@pytest.fixture
def site(tmp_path):
    (tmp_path / "a.html").write_text(GOOD)
    (tmp_path / "b.html").write_text('<h1 id="here"></h1>')
    (tmp_path / "p.svg").write_text("<svg/>")
    check_links.read.cache_clear()
    return tmp_path


def test_a_site_without_dead_links_passes(site, capsys):
    assert check_links.main(site) == 0
    assert capsys.readouterr().out == "2 pages, whose links lead somewhere\n"


@pytest.mark.parametrize(("link", "complaint"), [
    ("c.html", "b.html: c.html leads nowhere"),
    ("a.html#absent", "b.html: a.html#absent: the page has no such heading"),
    ("#absent", "b.html: #absent: the page has no such heading"),
])  # fmt: skip
def test_a_dead_link_is_named(site, capsys, link, complaint):
    (site / "b.html").write_text(f'<h1 id="here"></h1><a href="{link}"></a>')
    assert check_links.main(site) == 1
    assert capsys.readouterr().out == complaint + "\n"


def test_an_empty_folder_is_no_site(tmp_path):
    assert check_links.main(tmp_path) == 1
