#!/usr/bin/env bash
# Random calls from several threads for some minutes, compared with the oracle, in memory that must not grow.
# Usage: soak.sh [MINUTES]
set -euo pipefail
cd "$(dirname "$0")/.."
STREW_SOAK_MINUTES=${1:-20} exec build/tests/engine/soak_test
