"""Settings of all Python tests: hypothesis draws the same cases on every run."""

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")
