"""The models of compare.py and their inputs, by name."""

import decoder
import networks
import nodes

CASES = nodes.CASES | networks.CASES | decoder.CASES
