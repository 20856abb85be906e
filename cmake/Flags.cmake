# Compiler flags. Those that change numbers or the ABI are global; warnings and the rule against exceptions are for our code only.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# Native and WebAssembly must agree to the last bit, so no compiler may fuse a*b+c on its own.
add_compile_options(-ffp-contract=off)

if(EMSCRIPTEN)
  if(NOT EMSCRIPTEN_VERSION VERSION_EQUAL 6.0.5)
    message(STATUS "Emscripten ${EMSCRIPTEN_VERSION}: the page is tested with 6.0.5 (tools/dev/emscripten.py)")
  endif()
  if(EMSCRIPTEN_VERSION VERSION_LESS 3.1.60)
    message(FATAL_ERROR "Emscripten ${EMSCRIPTEN_VERSION} is too old (relaxed SIMD had other opcodes); 3.1.60 or newer is needed.")
  endif()
  # Set before any target: one library without them would make the link fail or, worse, run slowly.
  add_compile_options(-msimd128)
  if(HELIXSCOPE_THREADS)
    add_compile_options(-pthread)
    # The memory must grow, because the size of the model is not known in advance. The JavaScript around the module then checks
    # the memory at each access; it has few, so the warning is off.
    add_link_options(-pthread -Wno-pthreads-mem-growth)
  endif()
else()
  find_package(Threads REQUIRED)
endif()

# Warnings are errors with the compilers that the tests run with, so that none is overlooked; another one may warn of more.
set(_tested FALSE)
if(EMSCRIPTEN)
  if(EMSCRIPTEN_VERSION VERSION_EQUAL 6.0.5)
    set(_tested TRUE)
  endif()
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12 AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
  set(_tested TRUE)
endif()
option(HELIXSCOPE_WERROR "Warnings are errors" ${_tested})

# Only our own code: third-party code gets no warnings and no instrumentation, which would double the test build.
add_library(helix_ours INTERFACE)
target_compile_options(helix_ours INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion $<$<BOOL:${HELIXSCOPE_WERROR}>:-Werror>
  # GCC 12 warns falsely of overlaps and overflows in its own std::string and std::vector, GCC 14 of bounds.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-array-bounds>)
if(HELIXSCOPE_SANITIZE)
  # vptr needs RTTI, which the core does not use; what null and object-size find, the address sanitizer finds too.
  # GCC's maybe-uninitialized gives false warnings on instrumented code.
  target_compile_options(helix_ours INTERFACE
    -fsanitize=address,undefined -fno-sanitize=vptr,null,object-size -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=address,undefined)
  # For code that never looks at raw memory: without these it compiles in two thirds of the time.
  set(HELIX_NO_RAW_MEMORY -fno-sanitize=alignment,pointer-overflow)
endif()

# Shipped code has no exceptions and no RTTI. Failure is a value (base/expected.h).
add_library(helix_shipped INTERFACE)
target_compile_options(helix_shipped INTERFACE -fno-exceptions -fno-rtti)
target_link_libraries(helix_shipped INTERFACE helix_ours)

# Tests: Catch2 reports a failed REQUIRE by throwing.
add_library(helix_tested INTERFACE)
if(EMSCRIPTEN)
  target_compile_options(helix_tested INTERFACE -fwasm-exceptions)
  target_link_options(helix_tested INTERFACE -fwasm-exceptions)
endif()
