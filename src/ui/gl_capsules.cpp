#include <GLES3/gl3.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ui/capsule_painter.h"
#include "ui/gl_program.h"

namespace helix::ui {
namespace {

static_assert(sizeof(figure::Capsule) == 28, "the attributes below read Capsule as it lies in memory");

// A quad around the capsule, one pixel larger for the soft edge.
constexpr char kVertex[] = R"(#version 300 es
precision highp float;
layout(location=0) in vec4 ends;
layout(location=1) in float radius;
layout(location=2) in vec4 from;
layout(location=3) in vec4 to;
uniform vec2 surface;
uniform float density;
out vec2 at;
flat out vec4 line;
flat out float r;
flat out vec4 first;
flat out vec4 second;
void main() {
  vec2 a = ends.xy, b = ends.zw;
  vec2 along = b - a;
  float len = length(along);
  vec2 u = len > 0.0 ? along / len : vec2(1.0, 0.0);
  vec2 v = vec2(-u.y, u.x);
  float reach = radius + 1.0 / density;
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  vec2 p = (a + b) * 0.5 + u * corner.x * (len * 0.5 + reach) + v * corner.y * reach;
  at = p; line = ends; r = radius; first = from; second = to;
  vec2 ndc = p / surface * 2.0 - 1.0;
  gl_Position = vec4(ndc.x, -ndc.y, 0.0, 1.0);
}
)";

constexpr char kFragment[] = R"(#version 300 es
precision highp float;
in vec2 at;
flat in vec4 line;
flat in float r;
flat in vec4 first;
flat in vec4 second;
uniform float density;
out vec4 colour;
void main() {
  vec2 ab = line.zw - line.xy, ap = at - line.xy;
  float t = clamp(dot(ap, ab) / max(dot(ab, ab), 1e-9), 0.0, 1.0);
  float cover = clamp((r - length(ap - t * ab)) * density + 0.5, 0.0, 1.0);
  vec4 c = mix(first, second, t);
  colour = vec4(c.rgb, c.a * cover);
}
)";

}  // namespace

GlCapsules::GlCapsules() {
  program_ = make_program(kVertex, kFragment);
  if (!program_) return;
  surface_ = glGetUniformLocation(program_, "surface");
  density_ = glGetUniformLocation(program_, "density");
  glGenVertexArrays(1, &vertices_);
  glGenBuffers(1, &buffer_);
  glBindVertexArray(vertices_);
  glBindBuffer(GL_ARRAY_BUFFER, buffer_);
  const auto attribute = [](unsigned index, int count, unsigned type, bool normal, std::size_t offset) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, count, type, normal ? GL_TRUE : GL_FALSE, sizeof(figure::Capsule),
                          reinterpret_cast<const void*>(offset));
    glVertexAttribDivisor(index, 1);
  };
  attribute(0, 4, GL_FLOAT, false, offsetof(figure::Capsule, a));
  attribute(1, 1, GL_FLOAT, false, offsetof(figure::Capsule, radius));
  attribute(2, 4, GL_UNSIGNED_BYTE, true, offsetof(figure::Capsule, from));
  attribute(3, 4, GL_UNSIGNED_BYTE, true, offsetof(figure::Capsule, to));
  glBindVertexArray(0);
}

GlCapsules::~GlCapsules() {
  if (!program_) return;
  glDeleteBuffers(1, &buffer_);
  glDeleteVertexArrays(1, &vertices_);
  glDeleteProgram(program_);
}

void GlCapsules::draw(std::span<const figure::Capsule> capsules, const figure::Rect& clip, float width, float height,
                      float density) {
  if (!program_ || capsules.empty()) return;
  glUseProgram(program_);
  glEnable(GL_BLEND);
  glBlendEquation(GL_FUNC_ADD);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glEnable(GL_SCISSOR_TEST);
  const auto pixels = [density](float v) { return static_cast<int>(std::lround(v * density)); };
  glScissor(pixels(clip.x), pixels(height - clip.bottom()), std::max(pixels(clip.w), 0), std::max(pixels(clip.h), 0));
  glUniform2f(surface_, width, height);
  glUniform1f(density_, density);
  glBindVertexArray(vertices_);
  glBindBuffer(GL_ARRAY_BUFFER, buffer_);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(capsules.size_bytes()), capsules.data(), GL_STREAM_DRAW);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(capsules.size()));
  glBindVertexArray(0);
}

}  // namespace helix::ui
