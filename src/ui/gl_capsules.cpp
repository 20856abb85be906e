#include <GLES3/gl3.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ui/capsule_painter.h"
#include "ui/gl_program.h"

namespace helix::ui {
namespace {

/// A row of the texture: 512 capsules, two texels each.
constexpr std::size_t kPerRow = 512, kWords = 8;

// Two triangles around the capsule, one pixel larger for the soft edge. The vertex reads its capsule from a texture:
// instances of four vertices are slow, in software (each is a draw of its own) and on many graphics processors.
constexpr char kCapsuleVertex[] = R"(#version 300 es
precision highp float;
precision highp usampler2D;
uniform usampler2D capsules;
uniform vec2 surface;
uniform float density;
out vec2 at;
flat out vec4 line;
flat out float r;
flat out vec4 first;
flat out vec4 second;
vec4 ink(uint c) { return vec4(c & 255u, (c >> 8) & 255u, (c >> 16) & 255u, c >> 24) / 255.0; }
void main() {
  int capsule = gl_VertexID / 6, part = gl_VertexID % 6;
  ivec2 texel = ivec2(capsule % 512 * 2, capsule / 512);
  vec4 ends = uintBitsToFloat(texelFetch(capsules, texel, 0));
  uvec4 rest = texelFetch(capsules, texel + ivec2(1, 0), 0);
  float radius = uintBitsToFloat(rest.x);
  vec2 a = ends.xy, b = ends.zw;
  vec2 along = b - a;
  float len = length(along);
  vec2 u = len > 0.0 ? along / len : vec2(1.0, 0.0);
  vec2 v = vec2(-u.y, u.x);
  float reach = radius + 1.0 / density;
  int edge = part < 3 ? part : 6 - part;  // 0 1 2, 3 2 1
  vec2 corner = vec2(edge & 1, edge >> 1) * 2.0 - 1.0;
  vec2 p = (a + b) * 0.5 + u * corner.x * (len * 0.5 + reach) + v * corner.y * reach;
  at = p; line = ends; r = radius; first = ink(rest.y); second = ink(rest.z);
  vec2 ndc = p / surface * 2.0 - 1.0;
  gl_Position = vec4(ndc.x, -ndc.y, 0.0, 1.0);
}
)";

constexpr char kCapsuleFragment[] = R"(#version 300 es
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

/// The capsules as the shader reads them, in whole rows of the texture.
void pack(std::span<const figure::Capsule> capsules, std::vector<std::uint32_t>& words) {
  words.assign((capsules.size() + kPerRow - 1) / kPerRow * kPerRow * kWords, 0);
  std::uint32_t* to = words.data();
  for (const figure::Capsule& c : capsules) {
    to[0] = std::bit_cast<std::uint32_t>(c.a.x), to[1] = std::bit_cast<std::uint32_t>(c.a.y);
    to[2] = std::bit_cast<std::uint32_t>(c.b.x), to[3] = std::bit_cast<std::uint32_t>(c.b.y);
    to[4] = std::bit_cast<std::uint32_t>(c.radius);
    to[5] = std::bit_cast<std::uint32_t>(c.from), to[6] = std::bit_cast<std::uint32_t>(c.to);
    to += kWords;
  }
}

}  // namespace

GlCapsules::GlCapsules() {
  program_ = make_program(kCapsuleVertex, kCapsuleFragment);
  if (!program_) return;
  surface_ = glGetUniformLocation(program_, "surface");
  density_ = glGetUniformLocation(program_, "density");
  capsules_ = glGetUniformLocation(program_, "capsules");
  glGenVertexArrays(1, &vertices_);
  glGenTextures(1, &texture_);
  glBindTexture(GL_TEXTURE_2D, texture_);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glBindTexture(GL_TEXTURE_2D, 0);
}

GlCapsules::~GlCapsules() {
  if (!program_) return;
  glDeleteTextures(1, &texture_);
  glDeleteVertexArrays(1, &vertices_);
  glDeleteProgram(program_);
}

void GlCapsules::upload(std::span<const figure::Capsule> capsules) {
  pack(capsules, words_);
  const auto rows = static_cast<GLsizei>(words_.size() / (kPerRow * kWords));
  constexpr auto width = static_cast<GLsizei>(kPerRow * 2);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture_);
  if (rows > rows_) {
    rows_ = rows;
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32UI, width, rows, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT, words_.data());
  } else {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, rows, GL_RGBA_INTEGER, GL_UNSIGNED_INT, words_.data());
  }
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
  upload(capsules);
  glUniform1i(capsules_, 0);
  glBindVertexArray(vertices_);
  glDrawArrays(GL_TRIANGLES, 0, static_cast<GLsizei>(6 * capsules.size()));
  glBindVertexArray(0);
  glBindTexture(GL_TEXTURE_2D, 0);
}

}  // namespace helix::ui
