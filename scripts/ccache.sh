# To be sourced in the root of the sources: compiles with ccache, if installed, and shares its cache between clones.
# CCACHE_SLOPPINESS lets ccache use precompiled headers.
CMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true)
export CMAKE_CXX_COMPILER_LAUNCHER CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
