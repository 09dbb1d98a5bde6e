"""Conformance of runtimes to ONNX's gather and scatter operators; see README.md."""
