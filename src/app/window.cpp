#include "app/window.h"

#include <GLES3/gl3.h>
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "ui/ttf.h"

namespace helix::app {
namespace {

/// A window whose WebGL2 context is current; null if the browser has none.
GLFWwindow* make_window(int width, int height) {
  if (!glfwInit()) return nullptr;
  glfwWindowHint(GLFW_SAMPLES, 0);  // capsules and Dear ImGui's shapes are antialiased already
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_ALPHA_BITS, 0);  // an opaque canvas: nothing behind it to blend with
  GLFWwindow* window = glfwCreateWindow(std::max(width, 1), std::max(height, 1), "helixscope", nullptr, nullptr);
  if (window) glfwMakeContextCurrent(window);
  return window;
}

/// Without a context nothing is painted, but Dear ImGui needs textures to measure text: they are only marked as ready.
void pretend_textures() {
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    const bool unwanted = texture->Status == ImTextureStatus_WantDestroy;
    if (texture->Status == ImTextureStatus_OK || texture->Status == ImTextureStatus_Destroyed) continue;
    texture->SetTexID(unwanted ? ImTextureID_Invalid : ImTextureID(1));
    texture->SetStatus(unwanted ? ImTextureStatus_Destroyed : ImTextureStatus_OK);
  }
}

/// Discards the marks: the next painted frame creates real textures.
void forget_textures() {
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    texture->SetTexID(ImTextureID_Invalid);
    texture->SetStatus(ImTextureStatus_Destroyed);
  }
}

}  // namespace

bool Window::open(int width, int height) {
  const bool context = make_window(width, height) != nullptr;
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // nothing is stored: the link holds the whole state
  io.ConfigFlags |= ImGuiConfigFlags_NoMouseCursorChange;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
  open_ = true;
  return context && start_painting();
}

bool Window::start_painting() {
  forget_textures();
  painting_ = ImGui_ImplOpenGL3_Init("#version 300 es");
  if (!painting_) return false;
  capsules_ = std::make_unique<ui::GlCapsules>();
  canvas_.painters.capsules = [this](std::span<const figure::Capsule> shapes, const figure::Rect& clip) {
    capsules_->draw(shapes, clip, canvas_.width, canvas_.height, density_);
  };
  clouds_ = std::make_unique<ui::GlClouds>();
  canvas_.painters.cloud = [this](const figure::Cloud& cloud, const figure::Rect& clip) {
    clouds_->draw(cloud, clip, canvas_.width, canvas_.height, density_);
  };
  images_ = std::make_unique<ui::GlImages>();
  canvas_.painters.image = [this](const figure::Image& image) { return images_->texture(image); };
  texts_ = std::make_unique<ui::GlTexts>(write_);
  canvas_.painters.text = [this](const figure::Label& label) { return texts_->picture(label, density_); };
  canvas_.may_sway = true;
  if (!capsules_->ready()) stop_painting();
  return painting_;
}

void Window::stop_painting() {
  painting_ = false;
  canvas_.painters = {}, canvas_.may_sway = false;
  capsules_.reset(), clouds_.reset(), images_.reset(), texts_.reset();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
}

void Window::resize(float width, float height, float density) {
  canvas_.width = width, canvas_.height = height;
  density_ = density;
  if (!open_) return;
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {width, height};
  io.DisplayFramebufferScale = {density, density};
}

void Window::add_font(const unsigned char* data, int size, bool strong) {
  if (!open_) return;
  ImGuiIO& io = ImGui::GetIO();
  void* copy = ImGui::MemAlloc(static_cast<std::size_t>(size));  // the atlas frees it
  std::memcpy(copy, data, static_cast<std::size_t>(size));
  ImFont* font = io.Fonts->AddFontFromMemoryTTF(copy, size, 13);
  const float height = ui::height_per_em(std::as_bytes(std::span(data, static_cast<std::size_t>(size))));
  (strong ? canvas_.fonts.strong : canvas_.fonts.regular) = font;
  (strong ? canvas_.fonts.strong_height : canvas_.fonts.regular_height) = height;
  if (!strong) io.FontDefault = font;
}

void Window::apply_theme() {
  if (open_) ui::apply_theme(canvas_.theme);
}

void Window::draw(double now) {
  if (!open_) return;
  ImGuiIO& io = ImGui::GetIO();
  io.DeltaTime = static_cast<float>(std::clamp((now - last_) / 1000, 1e-4, 0.25));
  last_ = now;
  if (painting_) ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  canvas_.frame();
  ImGui::Render();
  if (painting_)
    paint();
  else
    pretend_textures();
}

void Window::paint() {
  const figure::Rgba ground = canvas_.theme.background;
  glViewport(0, 0, static_cast<int>(canvas_.width * density_), static_cast<int>(canvas_.height * density_));
  glDisable(GL_SCISSOR_TEST);
  glClearColor(ground.r / 255.0f, ground.g / 255.0f, ground.b / 255.0f, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  images_->sweep(), clouds_->sweep(), texts_->sweep();
}

void Window::context_lost() {
  if (painting_) stop_painting();
}

bool Window::context_restored() { return open_ && (painting_ || start_painting()); }

}  // namespace helix::app
