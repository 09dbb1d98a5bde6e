"""Shared settings of all Python tests: the same random cases on every run."""

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")
