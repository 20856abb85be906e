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

bool Window::open(int width, int height) {
  if (!glfwInit()) return false;
  glfwWindowHint(GLFW_SAMPLES, 4);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_ALPHA_BITS, 0);  // an opaque canvas: nothing behind it to blend with
  GLFWwindow* window = glfwCreateWindow(std::max(width, 1), std::max(height, 1), "helixscope", nullptr, nullptr);
  if (!window) return false;
  glfwMakeContextCurrent(window);
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // nothing is stored: a link is the whole state
  io.ConfigFlags |= ImGuiConfigFlags_NoMouseCursorChange;
  open_ = start_drawing();
  return open_;
}

bool Window::start_drawing() {
  if (!ImGui_ImplOpenGL3_Init("#version 300 es")) return false;
  capsules_ = std::make_unique<ui::GlCapsules>();
  canvas_.painter = [this](std::span<const figure::Capsule> shapes, const figure::Rect& clip) {
    capsules_->draw(shapes, clip, canvas_.width, canvas_.height, density_);
  };
  return capsules_->ready();
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
  if (!open_ || lost_) return;
  ImGuiIO& io = ImGui::GetIO();
  io.DeltaTime = static_cast<float>(std::clamp((now - last_) / 1000, 1e-4, 0.25));
  last_ = now;
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  canvas_.frame();
  ImGui::Render();
  const figure::Rgba ground = canvas_.theme.background;
  glViewport(0, 0, static_cast<int>(canvas_.width * density_), static_cast<int>(canvas_.height * density_));
  glDisable(GL_SCISSOR_TEST);
  glClearColor(ground.r / 255.0f, ground.g / 255.0f, ground.b / 255.0f, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Window::context_lost() { lost_ = true; }

bool Window::context_restored() {
  if (!open_) return false;
  ImGui_ImplOpenGL3_Shutdown();
  open_ = start_drawing();
  lost_ = false;
  return open_;
}

}  // namespace helix::app
