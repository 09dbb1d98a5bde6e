# To be sourced in the root of the sources: compiles with ccache if installed, shared by all clones. With precompiled
# headers ccache has to trust their content.
CMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true)
export CMAKE_CXX_COMPILER_LAUNCHER CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
