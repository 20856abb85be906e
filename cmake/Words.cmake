# helix_words, a library of the studies' English words (base/built_in_words.h), for programs. The page loads them from a file of the site.
function(helix_words)
  set(folder ${PROJECT_SOURCE_DIR}/src/studies)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/words.en.md ${folder}/*/words.en.md)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(text "")
  foreach(file IN LISTS files)
    file(READ ${file} words)
    string(APPEND text "      R\"WORDS(${words})WORDS\",\n")
  endforeach()
  set(source ${PROJECT_BINARY_DIR}/built_in_words.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "#include \"base/built_in_words.h\"

namespace helix {

std::string built_in_words() {
  // One literal for each file: compilers need not take a longer one.
  constexpr const char* kFiles[] = {
${text}  };
  std::string all;
  for (const char* file : kFiles) all += file;
  return all;
}

}  // namespace helix
")
  helix_library(words SOURCES ${source} LINK base)
endfunction()
