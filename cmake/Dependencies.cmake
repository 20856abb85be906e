# Third-party code, one function for each library. Each is looked for in this order:
#   1. -D<NAME>_SOURCE_DIR=…  (what ./dev passes on Debian),
#   2. an installed package, where its form suits (header-only, same for native and WebAssembly),
#   3. with -DHELIXSCOPE_FETCH=ON, the upstream repository at a pinned tag.
# The versions of 3 are those of tools/dev/debian.lock, which records the hashes of what ./dev downloads. Tags are pinned rather than
# hashed: they are the upstream projects' releases, fetched by git; tests/geometry/bits_test.cpp tells an Eigen that is another.
include(FetchContent)

function(helix_fetch name repository tag out)
  if(NOT HELIXSCOPE_FETCH)
    message(FATAL_ERROR "${name} was not found. Run ./dev build, or pass -D${name}_SOURCE_DIR=DIR, or let CMake download it with -DHELIXSCOPE_FETCH=ON.")
  endif()
  string(TOLOWER "helix_${name}" id)
  # The sub-folder does not exist, so that the library's own CMakeLists.txt is not run: only its files are needed.
  FetchContent_Declare(${id} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW TRUE SOURCE_SUBDIR no-cmake-here)
  FetchContent_MakeAvailable(${id})
  set(${out} "${${id}_SOURCE_DIR}" PARENT_SCOPE)
endfunction()

# The folder among `candidates` (below `root`) that holds `file`.
function(helix_folder_with root file out)
  foreach(candidate IN LISTS ARGN)
    if(EXISTS "${root}/${candidate}/${file}")
      file(REAL_PATH "${root}/${candidate}" folder)
      set(${out} "${folder}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${root} does not hold ${file}.")
endfunction()

# True when an installed header-only package `package` of at least `version` gave the target `from`; `to` then forwards to it.
function(helix_installed package version from to out)
  set(${out} FALSE PARENT_SCOPE)
  find_package(${package} QUIET NO_MODULE)
  if(TARGET ${from} AND ${package}_VERSION VERSION_GREATER_EQUAL ${version})
    get_target_property(folders ${from} INTERFACE_INCLUDE_DIRECTORIES)
    target_include_directories(${to} SYSTEM INTERFACE ${folders})
    set(${out} TRUE PARENT_SCOPE)
  endif()
endfunction()

function(helix_add_eigen)
  add_library(helix_eigen INTERFACE)
  # Two doubles at a time, and block sizes that are fixed here instead of queried from the processor. So every x86-64 and
  # WebAssembly perform the same additions in the same order, with the same bits.
  target_compile_definitions(helix_eigen INTERFACE EIGEN_MPL2_ONLY EIGEN_NO_CPUID EIGEN_DEFAULT_L1_CACHE_SIZE=32768
    EIGEN_DEFAULT_L2_CACHE_SIZE=262144 EIGEN_DEFAULT_L3_CACHE_SIZE=2097152 EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS=16)
  # GCC 12 warns of sums over empty ranges, which Eigen never forms.
  target_compile_options(helix_eigen INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(EMSCRIPTEN)
    # Eigen has no WebAssembly of its own; Emscripten turns SSE2 into simd128.
    target_compile_options(helix_eigen INTERFACE -msse2)
  endif()
  if(NOT EIGEN_SOURCE_DIR)
    # From 5.0 on the order of a dot product does not depend on where in memory a vector begins.
    helix_installed(Eigen3 5.0 Eigen3::Eigen helix_eigen found)
    if(found)
      return()
    endif()
    helix_fetch(EIGEN https://gitlab.com/libeigen/eigen.git 5.0.1 EIGEN_SOURCE_DIR)
  endif()
  helix_folder_with("${EIGEN_SOURCE_DIR}" Eigen/Dense folder . include/eigen3 usr/include/eigen3)
  target_include_directories(helix_eigen SYSTEM INTERFACE "${folder}")
endfunction()

function(helix_add_json)
  add_library(helix_json INTERFACE)
  # For all targets, tests included: two different definitions of the same inline functions would be undefined behaviour.
  target_compile_definitions(helix_json INTERFACE JSON_NOEXCEPTION)
  if(NOT JSON_SOURCE_DIR)
    helix_installed(nlohmann_json 3.11 nlohmann_json::nlohmann_json helix_json found)
    if(found)
      return()
    endif()
    helix_fetch(JSON https://github.com/nlohmann/json.git v3.11.3 JSON_SOURCE_DIR)
  endif()
  helix_folder_with("${JSON_SOURCE_DIR}" nlohmann/json.hpp folder . include single_include usr/include)
  target_include_directories(helix_json SYSTEM INTERFACE "${folder}")
endfunction()

# Unicode's general categories, for the tokenizer. An installed copy is not used: systems differ in their Unicode version, and
# the page and the program must split text alike. Its only file is C that is also valid C++, so CMake needs no second
# language or compiler.
function(helix_add_utf8proc)
  if(NOT UTF8PROC_SOURCE_DIR)
    helix_fetch(UTF8PROC https://github.com/JuliaStrings/utf8proc.git v2.11.3 UTF8PROC_SOURCE_DIR)
  endif()
  helix_folder_with("${UTF8PROC_SOURCE_DIR}" utf8proc.c folder .)
  set_source_files_properties(${folder}/utf8proc.c PROPERTIES LANGUAGE CXX)
  add_library(helix_utf8proc STATIC ${folder}/utf8proc.c)
  target_compile_definitions(helix_utf8proc PUBLIC UTF8PROC_STATIC)
  target_compile_options(helix_utf8proc PRIVATE -fno-exceptions -fno-rtti -w)
  target_include_directories(helix_utf8proc SYSTEM PUBLIC "${folder}")
endfunction()

# No installed ImGui suits: distributions ship it compiled, for one ABI, with 16-bit indices.
function(helix_add_imgui)
  if(NOT IMGUI_SOURCE_DIR)
    helix_fetch(IMGUI https://github.com/ocornut/imgui.git v1.92.2b IMGUI_SOURCE_DIR)
  endif()
  helix_folder_with("${IMGUI_SOURCE_DIR}" imgui.h folder .)
  add_library(helix_imgui STATIC
    ${folder}/imgui.cpp ${folder}/imgui_draw.cpp ${folder}/imgui_tables.cpp ${folder}/imgui_widgets.cpp)
  if(EMSCRIPTEN)
    target_sources(helix_imgui PRIVATE ${folder}/backends/imgui_impl_opengl3.cpp)
    target_compile_definitions(helix_imgui PUBLIC IMGUI_IMPL_OPENGL_ES3)
  endif()
  # WebGL2 has no base-vertex draws, so 16-bit indices overflow with many markers.
  target_compile_definitions(helix_imgui PUBLIC "ImDrawIdx=unsigned int" IMGUI_DISABLE_OBSOLETE_FUNCTIONS
                             IMGUI_DISABLE_DEMO_WINDOWS IMGUI_DISABLE_DEBUG_TOOLS
                             IMGUI_DISABLE_FILE_FUNCTIONS)
  target_compile_options(helix_imgui PRIVATE -fno-exceptions -fno-rtti -w)
  target_include_directories(helix_imgui SYSTEM PUBLIC "${folder}" "${folder}/backends")
endfunction()

# Compiled here instead of taken from the system, so that native and WebAssembly tests use the same runner.
function(helix_add_catch2)
  if(NOT CATCH2_SOURCE_DIR)
    helix_fetch(CATCH2 https://github.com/catchorg/Catch2.git v3.7.1 CATCH2_SOURCE_DIR)
  endif()
  helix_folder_with("${CATCH2_SOURCE_DIR}" catch_amalgamated.hpp folder . extras)
  add_library(helix_catch2 STATIC ${folder}/catch_amalgamated.cpp)
  # -O1: this is the longest compilation of all, and the runner's own speed does not matter.
  target_compile_options(helix_catch2 PRIVATE -w -O1)
  target_include_directories(helix_catch2 SYSTEM PUBLIC "${folder}")
  target_link_libraries(helix_catch2 PUBLIC helix_tested)
endfunction()

helix_add_eigen()
helix_add_json()
helix_add_utf8proc()
helix_add_imgui()
if(HELIXSCOPE_TESTS)
  helix_add_catch2()
endif()
