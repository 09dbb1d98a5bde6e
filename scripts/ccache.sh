# To be sourced in the root of the sources: compiles through ccache where there is one, which knows a file again in
# another clone too. With precompiled headers it has to trust their content.
CMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true)
export CMAKE_CXX_COMPILER_LAUNCHER CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
