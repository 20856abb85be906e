#include "ui/figure_surface.h"

#include <imgui_internal.h>

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

constexpr float kClickSlop = 4;  // pixels the pointer may move during a click
constexpr float kGripReach = 7;  // pixels around a grip that still grab it, for a mouse

ImU32 ink(Rgba c) { return IM_COL32(c.r, c.g, c.b, c.a); }
ImVec2 vec(Point p) { return {p.x, p.y}; }

/// The arguments of a draw callback; they live until the frame is rendered.
struct LayerCall {
  const Painters* painters;
  const figure::Layer* layer;
  const Rect* clip;
};

void layer_callback(const ImDrawList*, const ImDrawCmd* command) {
  LayerCall call;
  std::memcpy(&call, command->UserCallbackData, sizeof call);
  if (call.painters->capsules && !call.layer->capsules.empty())
    call.painters->capsules(call.layer->capsules, *call.clip);
  if (call.painters->cloud)
    for (const figure::Cloud& cloud : call.layer->clouds) call.painters->cloud(cloud, *call.clip);
}

/// Whether the font has a glyph for every character.
bool has_all(ImFont& font, const char* begin, const char* end) {
  while (begin < end) {
    if (static_cast<unsigned char>(*begin) < 0x7F) {
      ++begin;  // every font has these
      continue;
    }
    unsigned int c = 0;
    begin += ImTextCharFromUtf8(&c, begin, end);
    if (c > 0xFFFF || (c >= 0x20 && !font.IsGlyphInFont(static_cast<ImWchar>(c)))) return false;
  }
  return true;
}

/// Rotates text written at the origin so that it reads upwards, its lower left corner at `to`.
void turn(ImDrawList& list, int first, ImVec2 to) {
  for (int i = first; i < list.VtxBuffer.Size; ++i) {
    ImVec2& p = list.VtxBuffer[i].pos;
    p = {to.x + p.y, to.y - p.x};
  }
}

/// Draws a picture as a quad; rotated labels read upwards.
void paint_picture(ImDrawList& list, const figure::Label& label, const TextPicture& picture) {
  const float w = picture.width, h = picture.height;
  const float before = label.anchor == Anchor::start ? 0 : label.anchor == Anchor::middle ? w / 2 : w;
  const auto corner = [&](float along, float down) {
    return label.turned ? ImVec2(std::round(label.at.x - h / 2) + down, std::round(label.at.y + before) - along)
                        : ImVec2(std::round(label.at.x - before) + along, std::round(label.at.y - h / 2) + down);
  };
  list.AddImageQuad(picture.texture, corner(0, 0), corner(w, 0), corner(w, h), corner(0, h));
}

void paint_label(ImDrawList& list, const figure::Label& label, const Fonts& fonts, const Painters& painters) {
  const bool strong = label.weight == figure::Weight::strong && fonts.strong;
  ImFont* font = strong ? fonts.strong : fonts.regular ? fonts.regular : ImGui::GetFont();
  // Whole pixels: glyphs are rasterised at whole sizes, and scaled to any other.
  const float height = std::round(label.size * (strong ? fonts.strong_height : fonts.regular_height));
  const char *begin = label.text.data(), *end = begin + label.text.size();
  if (painters.text && !has_all(*font, begin, end))
    if (const TextPicture picture = painters.text(label); picture.width > 0) return paint_picture(list, label, picture);
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

void paint_image(ImDrawList& list, const figure::Image& image, const Painters& painters) {
  if (!image.shades || image.shades->data.empty()) return;
  const auto w = static_cast<float>(image.shades->width()), h = static_cast<float>(image.shades->height());
  list.AddImage(painters.image(image), {image.rect.x, image.rect.y}, {image.rect.right(), image.rect.bottom()},
                {image.col / w, image.row / h}, {(image.col + image.cols) / w, (image.row + image.rows) / h});
}

void paint_layer(ImDrawList& list, const figure::Layer& layer, const Rect& clip, const Painters& painters) {
  if (painters.image)
    for (const figure::Image& i : layer.images) paint_image(list, i, painters);
  for (const figure::FilledRect& b : layer.boxes)
    list.AddRectFilled({b.rect.x, b.rect.y}, {b.rect.right(), b.rect.bottom()}, ink(b.fill), b.corner);
  if (!layer.capsules.empty() || !layer.clouds.empty()) {
    LayerCall call{&painters, &layer, &clip};
    list.AddCallback(layer_callback, &call, sizeof call);  // ImGui keeps a copy of the call
    list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
  }
  for (const figure::Ring& r : layer.rings) list.AddCircle(vec(r.centre), r.radius, ink(r.colour), 32, r.width);
}

void paint_block(ImDrawList& list, const Block& block, const Fonts& fonts, const Painters& painters) {
  list.PushClipRect({block.rect.x, block.rect.y}, {block.rect.right(), block.rect.bottom()}, true);
  for (const figure::Layer& layer : block.layers) paint_layer(list, layer, block.rect, painters);
  for (const figure::Label& l : block.labels)
    if (!l.turned) paint_label(list, l, fonts, painters);
  list.PopClipRect();
  // ImGui drops glyphs outside the clip before they are rotated; they are written at the origin, so this clip is huge.
  list.PushClipRect({-1e4f, -1e4f}, {1e4f, 1e4f});
  for (const figure::Label& l : block.labels)
    if (l.turned) paint_label(list, l, fonts, painters);
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
  const bool finger = e.finger = io.MouseSource == ImGuiMouseSource_TouchScreen;
  const Block* block = over ? block_at(drawing, e.pointer) : nullptr;
  if (ImGui::IsItemActivated()) {
    dragging_ = true, moved_far_ = false;
    pressed_at_ = e.pointer;
    dragged_panel_ = block ? block->panel : "";
    const bool pans = io.KeyShift || ImGui::IsMouseDown(1) || ImGui::IsMouseDown(2);  // whatever lies there
    const figure::Grip* grip = pans ? nullptr : drawing.grip_at(e.pointer, finger ? kTouchReach : kGripReach, finger);
    dragged_grip_ = grip ? std::optional(*grip) : std::nullopt;
  }
  e.panel = dragging_ ? dragged_panel_ : block ? block->panel : "";
  if (dragging_) {
    if (std::hypot(e.pointer.x - pressed_at_.x, e.pointer.y - pressed_at_.y) > kClickSlop) moved_far_ = true;
    e.moved = {io.MouseDelta.x, io.MouseDelta.y};
    e.grip = dragged_grip_;
    e.pressed = pressed_at_;
    e.selecting = !dragged_grip_ && moved_far_ && !finger && ImGui::IsMouseDown(0) && !io.KeyShift;
    e.panning = !dragged_grip_ && moved_far_ && (ImGui::IsMouseDown(1) || ImGui::IsMouseDown(2) || io.KeyShift);
    e.orbiting = !dragged_grip_ && moved_far_ && !e.panning;
    if (!ImGui::IsItemActive()) {
      dragging_ = false;
      e.ended = true;
      e.released = moved_far_;
      e.clicked = !moved_far_ && !dragged_grip_;
      e.orbiting = e.panning = false;
    }
  }
  e.hovered = over && !dragging_;
  if (over) e.wheel = io.MouseWheel;
  return e;
}

FigureEvents FigureSurface::frame(const figure::Drawing& drawing, const figure::Theme& theme, const Fonts& fonts,
                                  float dim, const Painters& painters) {
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
  for (const Block& block : drawing.blocks) paint_block(list, block, fonts, painters);
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
