#include "ui/gl_program.h"

#include <GLES3/gl3.h>

namespace helix::ui {
namespace {

unsigned compile(unsigned type, const char* source) {
  const unsigned shader = glCreateShader(type);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  return shader;
}

}  // namespace

unsigned make_program(const char* vertex_source, const char* fragment_source) {
  const unsigned vertex = compile(GL_VERTEX_SHADER, vertex_source),
                 fragment = compile(GL_FRAGMENT_SHADER, fragment_source);
  const unsigned program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  int linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  if (linked) return program;
  glDeleteProgram(program);
  return 0;
}

}  // namespace helix::ui
