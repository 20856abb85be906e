# Compiler flags. Those that change numbers or the ABI are global; warnings and the exception rule are for our code only.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# Native and WebAssembly must agree to the last bit, so no compiler may fuse a*b+c on its own.
add_compile_options(-ffp-contract=off)

if(EMSCRIPTEN)
  if(EMSCRIPTEN_VERSION VERSION_LESS 3.1.60)
    message(FATAL_ERROR "Emscripten ${EMSCRIPTEN_VERSION} is too old (relaxed SIMD had other opcodes); 3.1.60 or newer is needed.")
  endif()
  # Before any target: one library without them would make the link fail or, worse, run slowly.
  add_compile_options(-msimd128)
  if(HELIXSCOPE_THREADS)
    add_compile_options(-pthread)
    # Memory that grows is what a page needs that does not know yet which model comes. It costs the JavaScript around the
    # module a check at each look at the memory, of which there are few; hence no warning.
    add_link_options(-pthread -Wno-pthreads-mem-growth)
  endif()
else()
  find_package(Threads REQUIRED)
endif()

# Our code, and only ours: third-party code is neither warned about nor instrumented (it would double the test build).
add_library(helix_ours INTERFACE)
target_compile_options(helix_ours INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
  # GCC 12 sees overlaps and overflows in its own std::string and std::vector that are not there.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
if(HELIXSCOPE_SANITIZE)
  # vptr needs RTTI, which the core does without; GCC's maybe-uninitialized misfires on instrumented code.
  target_compile_options(helix_ours INTERFACE
    -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=address,undefined)
endif()

# What ships: no exceptions, no run-time types. Failure is a value (base/expected.h).
add_library(helix_shipped INTERFACE)
target_compile_options(helix_shipped INTERFACE -fno-exceptions -fno-rtti)
target_link_libraries(helix_shipped INTERFACE helix_ours)

# Tests: Catch2 reports a failed REQUIRE by throwing.
add_library(helix_tested INTERFACE)
if(EMSCRIPTEN)
  target_compile_options(helix_tested INTERFACE -fwasm-exceptions)
  target_link_options(helix_tested INTERFACE -fwasm-exceptions)
endif()
