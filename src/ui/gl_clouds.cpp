#include <GLES3/gl3.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "ui/cloud_painter.h"
#include "ui/gl_program.h"

namespace helix::ui {
namespace {

struct Vertex {
  float at[3];
  float shade;
};

constexpr char kCloudVertex[] = R"(#version 300 es
precision highp float;
layout(location=0) in vec3 at;
layout(location=1) in float shade;
uniform mat3 turn;
uniform vec2 centre;
uniform float scale;
uniform vec2 surface;
uniform float size;
uniform float extent;
uniform sampler2D palette;
out vec4 ink;
void main() {
  vec3 p = turn * at;
  vec2 pixel = centre + p.xy * scale;
  vec2 ndc = pixel / surface * 2.0 - 1.0;
  gl_Position = vec4(ndc.x, -ndc.y, clamp(p.z / extent, -1.0, 1.0) * 0.99, 1.0);
  gl_PointSize = size;
  ink = texture(palette, vec2((shade + 0.5) / 256.0, 0.5));
}
)";

constexpr char kDepthFragment[] = R"(#version 300 es
precision highp float;
uniform float size;
void main() {
  if (length(gl_PointCoord - 0.5) * size > size * 0.5) discard;
}
)";

// Eye-dome lighting (Boucheny 2009): a point is darker the more of its neighbourhood lies in front of it, so that edges of what
// is near stand out. `reach` is in pixels; depths count as fractions of the cloud's extent.
constexpr char kCloudFragment[] = R"(#version 300 es
precision highp float;
precision highp sampler2D;
in vec4 ink;
uniform float size;
uniform sampler2D depths;
uniform int lit;
uniform float reach;
out vec4 colour;
void main() {
  float away = length(gl_PointCoord - 0.5) * size;
  float cover = clamp(size * 0.5 - away + 0.5, 0.0, 1.0);
  if (cover <= 0.0) discard;
  float light = 1.0;
  if (lit == 1) {
    ivec2 here = ivec2(gl_FragCoord.xy), last = textureSize(depths, 0) - 1;
    float own = gl_FragCoord.z;
    if (own > texelFetch(depths, here, 0).r + 1e-6) discard;
    float before = 0.0;
    for (int i = 0; i < 8; ++i) {
      float angle = float(i) * 0.78539816;
      ivec2 there = clamp(here + ivec2(round(reach * vec2(cos(angle), sin(angle)))), ivec2(0), last);
      before += max(0.0, own - texelFetch(depths, there, 0).r);
    }
    light = max(0.45, exp(-before));
  }
  colour = vec4(ink.rgb * light, ink.a * cover);
}
)";

constexpr GLint kPaletteUnit = 0, kDepthUnit = 1;

}  // namespace

GlClouds::GlClouds() {
  program_ = make_program(kCloudVertex, kCloudFragment);
  if (!program_) return;
  glGenTextures(1, &palette_);
  depth_program_ = make_program(kCloudVertex, kDepthFragment);
}

GlClouds::~GlClouds() {
  for (const Uploaded& c : clouds_) glDeleteBuffers(1, &c.buffer), glDeleteVertexArrays(1, &c.vertices);
  if (program_) glDeleteTextures(1, &palette_), glDeleteProgram(program_);
  if (depth_program_) glDeleteProgram(depth_program_);
  forget_depths();
}

void GlClouds::forget_depths() {
  if (frame_) glDeleteFramebuffers(1, &frame_), glDeleteTextures(1, &depths_);
  frame_ = depths_ = 0;
}

bool GlClouds::size_depths(int width, int height) {
  if (frame_ && depth_size_ == std::array{width, height}) return true;
  forget_depths();
  depth_size_ = {width, height};
  glGenTextures(1, &depths_);
  glBindTexture(GL_TEXTURE_2D, depths_);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_DEPTH_COMPONENT24, width, height);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glGenFramebuffers(1, &frame_);
  glBindFramebuffer(GL_FRAMEBUFFER, frame_);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depths_, 0);
  const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  if (!complete) forget_depths();
  return complete;
}

GlClouds::Uploaded& GlClouds::upload(const figure::Cloud& cloud) {
  for (Uploaded& c : clouds_)
    if (c.points == cloud.points && c.axes == cloud.axes &&
        (c.shades == cloud.shades || (c.shades && cloud.shades && *c.shades == *cloud.shades))) {
      c.used = true, c.shades = cloud.shades;
      return c;
    }
  std::vector<Vertex> vertices(cloud.points->size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    for (std::size_t a = 0; a < 3; ++a) {
      const double x = cloud.axes[a] < cloud.points->dims ? (*cloud.points)(i, cloud.axes[a]) : 0;
      vertices[i].at[a] = std::isfinite(x) ? static_cast<float>(x) : 0;
    }
    vertices[i].shade = cloud.shades && i < cloud.shades->size() ? static_cast<float>((*cloud.shades)[i]) : 255;
  }
  Uploaded made{cloud.points, cloud.shades, cloud.axes};
  made.count = static_cast<int>(vertices.size());
  glGenVertexArrays(1, &made.vertices);
  glGenBuffers(1, &made.buffer);
  glBindVertexArray(made.vertices);
  glBindBuffer(GL_ARRAY_BUFFER, made.buffer);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size() * sizeof(Vertex)), vertices.data(),
               GL_STATIC_DRAW);
  glEnableVertexAttribArray(0), glEnableVertexAttribArray(1);
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(Vertex), nullptr);
  glVertexAttribPointer(1, 1, GL_FLOAT, GL_FALSE, sizeof(Vertex),
                        reinterpret_cast<const void*>(offsetof(Vertex, shade)));
  glBindVertexArray(0);
  return clouds_.emplace_back(std::move(made));
}

void GlClouds::project(unsigned program, const figure::Cloud& cloud, const Surface& on) {
  glUseProgram(program);
  const auto where = [program](const char* name) { return glGetUniformLocation(program, name); };
  float turn[9];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) turn[j * 3 + i] = static_cast<float>(cloud.projection.turn[i][j]);
  glUniformMatrix3fv(where("turn"), 1, GL_FALSE, turn);
  glUniform2f(where("centre"), cloud.projection.centre.x, cloud.projection.centre.y);
  glUniform1f(where("scale"), static_cast<float>(cloud.projection.scale));
  glUniform2f(where("surface"), on.width, on.height);
  glUniform1f(where("size"), std::max(2 * cloud.radius * on.density, 1.0f));
  const double most = std::max(on.clip.w, on.clip.h) / std::max(cloud.projection.scale, 1e-9);
  glUniform1f(where("extent"), static_cast<float>(std::max(most, 1e-9)));
  glUniform1i(where("palette"), kPaletteUnit);
}

bool GlClouds::find_depths(const Uploaded& held, const figure::Cloud& cloud, const Surface& on) {
  const auto pixels = [&on](float v) { return static_cast<int>(std::lround(v * on.density)); };
  if (!depth_program_ || !size_depths(std::max(pixels(on.width), 1), std::max(pixels(on.height), 1))) return false;
  project(depth_program_, cloud, on);
  glBindFramebuffer(GL_FRAMEBUFFER, frame_);
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LESS);
  glDepthMask(GL_TRUE);
  glClear(GL_DEPTH_BUFFER_BIT);
  glDrawArrays(GL_POINTS, 0, held.count);
  glDisable(GL_DEPTH_TEST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  return true;
}

void GlClouds::bind_palette(const std::shared_ptr<const figure::Palette>& palette) {
  glActiveTexture(GL_TEXTURE0 + kPaletteUnit);
  glBindTexture(GL_TEXTURE_2D, palette_);
  if (held_palette_ && *held_palette_ == *palette) return;
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 256, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, palette->data());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  held_palette_ = palette;
}

void GlClouds::draw(const figure::Cloud& cloud, const figure::Rect& clip, float width, float height, float density) {
  if (!program_ || !cloud.points || !cloud.points->size() || !cloud.palette) return;
  const Uploaded& held = upload(cloud);
  const Surface on{clip, width, height, density};
  const auto pixels = [density](float v) { return static_cast<int>(std::lround(v * density)); };
  glDisable(GL_CULL_FACE);
  glEnable(GL_SCISSOR_TEST);
  glScissor(pixels(clip.x), pixels(height - clip.bottom()), std::max(pixels(clip.w), 0), std::max(pixels(clip.h), 0));
  bind_palette(cloud.palette);
  glBindVertexArray(held.vertices);
  const bool lit = find_depths(held, cloud, on);
  project(program_, cloud, on);
  glUniform1i(glGetUniformLocation(program_, "lit"), lit);
  glUniform1i(glGetUniformLocation(program_, "depths"), kDepthUnit);
  glUniform1f(glGetUniformLocation(program_, "reach"), 1.5f * density);
  glActiveTexture(GL_TEXTURE0 + kDepthUnit);
  glBindTexture(GL_TEXTURE_2D, lit ? depths_ : 0);
  glEnable(GL_BLEND);
  glBlendEquation(GL_FUNC_ADD);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDisable(GL_DEPTH_TEST);
  glDrawArrays(GL_POINTS, 0, held.count);
  glBindVertexArray(0);
  glBindTexture(GL_TEXTURE_2D, 0);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, 0);
}

void GlClouds::sweep() {
  std::erase_if(clouds_, [](Uploaded& c) {
    if (!c.used) glDeleteBuffers(1, &c.buffer), glDeleteVertexArrays(1, &c.vertices);
    return !std::exchange(c.used, false);
  });
  if (clouds_.empty()) forget_depths();
}

}  // namespace helix::ui
