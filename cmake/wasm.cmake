# Toolchain file: finds Emscripten and hands over to its own. Order: -DHELIXSCOPE_EMSCRIPTEN (what ./dev passes),
# $EMSCRIPTEN_ROOT, $EMSDK, emcc on the PATH, and what ./dev set up before.
set(_candidates "${HELIXSCOPE_EMSCRIPTEN}" "$ENV{EMSCRIPTEN_ROOT}" "$ENV{EMSDK}/upstream/emscripten")

find_program(_emcc emcc NO_CACHE NO_CMAKE_FIND_ROOT_PATH)
if(_emcc)
  file(REAL_PATH "${_emcc}" _emcc)
  cmake_path(GET _emcc PARENT_PATH _folder)
  list(APPEND _candidates "${_folder}")
endif()

set(_caches "$ENV{XDG_CACHE_HOME}")
if(NOT _caches)
  set(_caches "$ENV{HOME}/.cache")
endif()
if(EXISTS "${_caches}/helixscope/emscripten-root")
  file(STRINGS "${_caches}/helixscope/emscripten-root" _folder LIMIT_COUNT 1)
  list(APPEND _candidates "${_folder}")
endif()

foreach(_folder IN LISTS _candidates)
  if(EXISTS "${_folder}/cmake/Modules/Platform/Emscripten.cmake")
    # Kept, so that a reconfigure without this environment, and CMake's own compile checks, use the same one.
    set(HELIXSCOPE_EMSCRIPTEN "${_folder}" CACHE PATH "Emscripten's folder")
    list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HELIXSCOPE_EMSCRIPTEN)
    include("${_folder}/cmake/Modules/Platform/Emscripten.cmake")
    return()
  endif()
endforeach()
message(FATAL_ERROR "Emscripten was not found. Run ./dev build web, which sets it up, or activate an emsdk.")
