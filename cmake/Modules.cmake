# The two WebAssembly modules, as ES modules: build/<preset>/engine.mjs and ui.mjs with their .wasm.

set(HELIX_MODULE_LINK
  --no-entry
  -sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=web,worker
  -sALLOW_MEMORY_GROWTH -sSTACK_SIZE=1MB
  # The page's security policy forbids eval and new Function.
  -sDYNAMIC_EXECUTION=0
  # Bytes come from the page as messages; there are no files.
  -sFILESYSTEM=0
  -sASSERTIONS=0
  -sINCOMING_MODULE_JS_API=canvas,instantiateWasm,locateFile,onAbort,print,printErr
  -sEXPORTED_RUNTIME_METHODS=HEAPU8,UTF8ToString,stringToUTF8,lengthBytesUTF8
  -sEXPORTED_FUNCTIONS=_malloc,_free)

# A module needs room for a whole checkpoint: 4 GB is all that 32-bit addresses reach. Pointers above 2 GB arrive in
# JavaScript as negative numbers unless read with >>> 0.
set(HELIX_LINK_engine -sINITIAL_MEMORY=64MB -sMAXIMUM_MEMORY=4GB)
if(HELIXSCOPE_THREADS)
  # The page creates the memory, as large as the browser permits, and sets the number of threads. All workers exist from the
  # start: a worker is created only when the event loop runs, for which a loop that waits for its threads would wait for ever.
  list(APPEND HELIX_LINK_engine -sENVIRONMENT=worker -sPTHREAD_POOL_SIZE=Module.helpers -sPTHREAD_POOL_SIZE_STRICT=2
    -sDEFAULT_PTHREAD_STACK_SIZE=1MB -sINCOMING_MODULE_JS_API=instantiateWasm,wasmMemory,helpers)
endif()
set(HELIX_LINK_ui -Oz -sINITIAL_MEMORY=32MB -sMAXIMUM_MEMORY=1GB
  -sUSE_GLFW=3 -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2
  # The names of the functions, by which helix_split tells them apart; it takes them out again.
  --profiling-funcs)
set(HELIX_COMPILE_ui -Oz -flto)
set(HELIX_BRIDGE_engine engine/bridge.cpp)
set(HELIX_BRIDGE_ui app/bridge.cpp)
set(HELIX_LIBRARIES_engine helix_engine)
set(HELIX_LIBRARIES_ui helix_app)

# ui.wasm keeps what the first view needs; the rest goes to ui_rest.wasm, which the page loads after its first picture.
function(helix_split)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  execute_process(COMMAND "${EMSCRIPTEN_ROOT_PATH}/em-config" BINARYEN_ROOT
    OUTPUT_VARIABLE binaryen OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(script ${PROJECT_SOURCE_DIR}/tools/dev/split_module.py)
  set(studies ${PROJECT_SOURCE_DIR}/src/studies/studies.def)
  set_property(TARGET ui APPEND PROPERTY LINK_DEPENDS ${script} ${studies})
  add_custom_command(TARGET ui POST_BUILD
    COMMAND Python3::Interpreter ${script} ui.wasm ui_rest.wasm ${binaryen}/bin ${studies}
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR} BYPRODUCTS ${PROJECT_BINARY_DIR}/ui_rest.wasm VERBATIM)
endfunction()

function(helix_module name)
  file(GLOB bridge CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${HELIX_BRIDGE_${name}})
  if(NOT bridge)
    message(STATUS "src/${HELIX_BRIDGE_${name}} does not exist yet: no ${name} module")
    return()
  endif()
  add_executable(${name} ${bridge})
  target_link_libraries(${name} PRIVATE ${HELIX_LIBRARIES_${name}} helix_shipped)
  target_compile_options(${name} PRIVATE ${HELIX_COMPILE_${name}})
  # The record lists the members of static libraries that the module holds; tools/dev/notice.py reads it.
  target_link_options(${name} PRIVATE ${HELIX_MODULE_LINK} ${HELIX_LINK_${name}} -Wl,--why-extract=${name}.linked)
  add_dependencies(modules ${name})
  set_target_properties(${name} PROPERTIES SUFFIX .mjs RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()
