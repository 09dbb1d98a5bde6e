"""The sources of the site have the tables that documents request, filled from the data files."""

import json

import stage
from conftest import ROOT


def test_the_page_of_all_tables_has_every_row_of_the_data(tmp_path):
    stage.stage_documents(tmp_path)
    page = (tmp_path / "docs/performance-tables.md").read_text("utf-8")
    report = json.loads((ROOT / "docs/plots/peers.json").read_text("utf-8"))
    shown = [("kept", 2), ("in_place", 2), ("fresh", 1), ("kept", 1), ("in_place", 1)]
    for mode, threads in shown:
        for line in stage.figures.peer_table(report, mode, threads):
            assert f"\n{line}\n" in page
    assert page.count("\n| `scatternd_add_hot` |") == len(shown)
    assert "\n17 of 921 cases take more than 1.5 times as long as the best peer.\n" in page
    assert "<!-- table" not in page
