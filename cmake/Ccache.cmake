# Where ccache is installed, it shares compilers' results between builds, presets and clones; without it everything is
# compiled. Include after project(): the settings depend on the compiler. A launcher set by the user is kept.
find_program(HELIXSCOPE_CCACHE ccache NO_CMAKE_FIND_ROOT_PATH DOC "ccache, or empty to compile everything anew")
find_program(HELIXSCOPE_ENV env NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(HELIXSCOPE_ENV)
if(CMAKE_CXX_COMPILER_LAUNCHER OR NOT HELIXSCOPE_CCACHE OR NOT HELIXSCOPE_ENV)
  return()
endif()

set(_caches "$ENV{XDG_CACHE_HOME}")
if(NOT _caches)
  set(_caches "$ENV{HOME}/.cache")
endif()
set(CMAKE_CXX_COMPILER_LAUNCHER "${HELIXSCOPE_ENV}" "CCACHE_DIR=${_caches}/helixscope/ccache" CCACHE_MAXSIZE=4G
  # Paths below the repository become relative and the build folder's own path does not count: clones share results.
  "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
  # ccache looks a result up by the headers that the compiler reported, so that nothing is preprocessed twice.
  CCACHE_DEPEND=1)
if(EMSCRIPTEN)
  # em++ is a script that is the same in every version, and its name does not reveal that it runs clang.
  list(APPEND CMAKE_CXX_COMPILER_LAUNCHER CCACHE_COMPILERTYPE=clang
    "CCACHE_COMPILERCHECK=string:emscripten ${EMSCRIPTEN_VERSION}, clang ${CMAKE_CXX_COMPILER_VERSION}")
else()
  list(APPEND CMAKE_CXX_COMPILER_LAUNCHER CCACHE_COMPILERCHECK=content)
endif()
list(APPEND CMAKE_CXX_COMPILER_LAUNCHER "${HELIXSCOPE_CCACHE}")
