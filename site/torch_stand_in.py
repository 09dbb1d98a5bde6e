"""Replaces torch if it is missing, so that Sphinx can import strew.torch. Every name is a class that returns itself."""

import importlib.abc
import importlib.machinery
import sys
import types


class Anything(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(cls, name, made := Anything(name, (), {"__module__": "torch"}))
        return made

    def __call__(cls, *arguments, **named):
        return cls

    def __len__(cls):
        return 0

    def __iter__(cls):
        return iter(())


class Module(types.ModuleType):
    __path__ = []
    __all__ = []

    def __getattr__(self, name):
        return getattr(Anything("torch", (), {}), name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] == "torch" else None

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, Finder())
