#include "ui/figure_surface.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace helix::ui {
namespace {

using figure::Anchor;
using figure::Block;
using figure::Point;
using figure::Rect;
using figure::Rgba;

constexpr float kClickSlop = 4;    // pixels a click may wander
constexpr float kHandleReach = 7;  // pixels around a handle that still take it, for a mouse

ImU32 ink(Rgba c) { return IM_COL32(c.r, c.g, c.b, c.a); }
ImVec2 vec(Point p) { return {p.x, p.y}; }

/// What a draw callback needs; lives until the frame is rendered.
struct CapsuleCall {
  const CapsulePainter* painter;
  const Block* block;
};

void capsule_callback(const ImDrawList*, const ImDrawCmd* command) {
  CapsuleCall call;
  std::memcpy(&call, command->UserCallbackData, sizeof call);
  (*call.painter)(call.block->capsules, call.block->rect);
}

/// What was written at the origin and reads to the right reads upwards, its lower left corner at `to`.
void turn(ImDrawList& list, int first, ImVec2 to) {
  for (int i = first; i < list.VtxBuffer.Size; ++i) {
    ImVec2& p = list.VtxBuffer[i].pos;
    p = {to.x + p.y, to.y - p.x};
  }
}

void paint_label(ImDrawList& list, const figure::Label& label, const Fonts& fonts) {
  const bool strong = label.weight == figure::Weight::strong && fonts.strong;
  ImFont* font = strong ? fonts.strong : fonts.regular ? fonts.regular : ImGui::GetFont();
  // Whole pixels: glyphs are rasterised at whole sizes, and would be stretched to any other.
  const float height = std::round(label.size * (strong ? fonts.strong_height : fonts.regular_height));
  const char *begin = label.text.data(), *end = begin + label.text.size();
  ImGui::PushFont(font, height);  // a font that is not current is rasterised at one pixel per point
  const ImVec2 size = font->CalcTextSizeA(height, 1e9f, 0, begin, end);
  const float before = label.anchor == Anchor::start ? 0 : label.anchor == Anchor::middle ? size.x / 2 : size.x;
  const int first = list.VtxBuffer.Size;
  if (label.turned) {
    list.AddText(font, height, {0, 0}, ink(label.colour), begin, end);
    turn(list, first, {std::round(label.at.x - size.y / 2), std::round(label.at.y + before)});
  } else {
    list.AddText(font, height, {label.at.x - before, label.at.y - size.y / 2}, ink(label.colour), begin, end);
  }
  ImGui::PopFont();
}

void paint_image(ImDrawList& list, const figure::Image& image, const ImageTexture& images) {
  if (!image.shades || image.shades->data.empty()) return;
  const auto w = static_cast<float>(image.shades->width()), h = static_cast<float>(image.shades->height());
  list.AddImage(images(image), {image.rect.x, image.rect.y}, {image.rect.right(), image.rect.bottom()},
                {image.col / w, image.row / h}, {(image.col + image.cols) / w, (image.row + image.rows) / h});
}

void paint_block(ImDrawList& list, const Block& block, const Fonts& fonts, const CapsulePainter& painter,
                 const ImageTexture& images) {
  list.PushClipRect({block.rect.x, block.rect.y}, {block.rect.right(), block.rect.bottom()}, true);
  if (!block.capsules.empty() && painter) {
    CapsuleCall call{&painter, &block};
    list.AddCallback(capsule_callback, &call, sizeof call);  // ImGui keeps a copy of the call
    list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
  }
  if (images)
    for (const figure::Image& i : block.images) paint_image(list, i, images);
  for (const figure::Box& b : block.boxes)
    list.AddRectFilled({b.rect.x, b.rect.y}, {b.rect.right(), b.rect.bottom()}, ink(b.fill), b.corner);
  for (const figure::Ring& r : block.rings) list.AddCircle(vec(r.centre), r.radius, ink(r.colour), 32, r.width);
  for (const figure::Label& l : block.labels)
    if (!l.turned) paint_label(list, l, fonts);
  list.PopClipRect();
  // Glyphs outside of the clip are left out before they are turned: these are written at the origin, and clip nothing.
  list.PushClipRect({-1e4f, -1e4f}, {1e4f, 1e4f});
  for (const figure::Label& l : block.labels)
    if (l.turned) paint_label(list, l, fonts);
  list.PopClipRect();
}

const Block* block_at(const figure::Drawing& drawing, Point p) {
  for (const Block& b : drawing.blocks)
    if (!b.panel.empty() && b.rect.contains(p)) return &b;
  return nullptr;
}

}  // namespace

FigureEvents FigureSurface::handle_pointer(const figure::Drawing& drawing) {
  const ImGuiIO& io = ImGui::GetIO();
  FigureEvents e;
  e.pointer = {io.MousePos.x, io.MousePos.y};
  const bool over = ImGui::IsItemHovered();
  const bool finger = io.MouseSource == ImGuiMouseSource_TouchScreen;
  const Block* block = over ? block_at(drawing, e.pointer) : nullptr;
  if (ImGui::IsItemActivated()) {
    dragging_ = true, moved_far_ = false;
    pressed_at_ = e.pointer;
    dragged_panel_ = block ? block->panel : "";
    const figure::Handle* handle = drawing.handle_at(e.pointer, finger ? kTouchReach : kHandleReach, finger);
    dragged_handle_ = handle ? std::optional(handle->which) : std::nullopt;
  }
  e.panel = dragging_ ? dragged_panel_ : block ? block->panel : "";
  if (dragging_) {
    if (std::hypot(e.pointer.x - pressed_at_.x, e.pointer.y - pressed_at_.y) > kClickSlop) moved_far_ = true;
    e.moved = {io.MouseDelta.x, io.MouseDelta.y};
    e.handle = dragged_handle_;
    e.pressed = pressed_at_;
    e.selecting = !dragged_handle_ && moved_far_ && !finger && ImGui::IsMouseDown(0) && !io.KeyShift;
    e.panning = !dragged_handle_ && moved_far_ && (ImGui::IsMouseDown(1) || ImGui::IsMouseDown(2) || io.KeyShift);
    e.orbiting = !dragged_handle_ && moved_far_ && !e.panning;
    if (!ImGui::IsItemActive()) {
      dragging_ = false;
      e.ended = true;
      e.released = moved_far_;
      e.clicked = !moved_far_ && !dragged_handle_;
      e.orbiting = e.panning = false;
    }
  }
  e.hovered = over && !dragging_;
  if (over) e.wheel = io.MouseWheel;
  return e;
}

FigureEvents FigureSurface::frame(const figure::Drawing& drawing, const figure::Theme& theme, const Fonts& fonts,
                                  float dim, const CapsulePainter& painter, const ImageTexture& images) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({drawing.width, drawing.height});
  constexpr ImGuiWindowFlags bare = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground |
                                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBringToFrontOnFocus;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("figure", nullptr, bare);
  ImGui::PopStyleVar();
  ImGui::InvisibleButton(
      "surface", {std::max(drawing.width, 1.0f), std::max(drawing.height, 1.0f)},
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  const FigureEvents events = handle_pointer(drawing);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const Block& block : drawing.blocks) paint_block(list, block, fonts, painter, images);
  if (dim > 0) {
    Rgba veil = theme.background;
    veil.a = static_cast<std::uint8_t>(std::lround(std::min(dim, 1.0f) * 255));
    list.AddRectFilled({0, 0}, {drawing.width, drawing.height}, ink(veil));
  }
  ImGui::End();
  return events;
}

void apply_theme(const figure::Theme& theme) {
  ImGuiStyle& style = ImGui::GetStyle();
  style.AntiAliasedLines = style.AntiAliasedFill = true;
  style.WindowBorderSize = 0;
  const auto colour = [](Rgba c) { return ImVec4(c.r / 255.0f, c.g / 255.0f, c.b / 255.0f, c.a / 255.0f); };
  style.Colors[ImGuiCol_Text] = colour(theme.text);
  style.Colors[ImGuiCol_WindowBg] = colour(theme.background);
}

}  // namespace helix::ui
