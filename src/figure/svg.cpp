#include "figure/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/decimal.h"
#include "base/text.h"
#include "figure/cloud.h"
#include "figure/png.h"

namespace helix::figure {
namespace {

constexpr std::size_t kShortest = 4;  // bytes of a text whose width is fixed; shorter ones do not run into others

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\t')
      out += ' ';  // not allowed in XML, like the two noncharacters below
    else
      out += c;
  }
  for (const std::string_view noncharacter : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})  // U+FFFE, U+FFFF
    for (std::size_t at = 0; (at = out.find(noncharacter, at)) != std::string::npos;)
      out.replace(at, 3, "\xEF\xBF\xBD");
  return out;
}

// Two decimals: a hundredth of a pixel is finer than any printer resolves.
std::string px(float value) {
  std::string s = to_pointed(value, 2);
  while (s.find('.') != std::string::npos && (s.back() == '0' || s.back() == '.')) {
    const bool point = s.back() == '.';
    s.pop_back();
    if (point) break;
  }
  return s;
}

std::string hex(Rgba c) {
  char buffer[8];
  std::snprintf(buffer, sizeof buffer, "#%02x%02x%02x", c.r, c.g, c.b);
  return buffer;
}

void write(std::string& out, const Capsule& c) {
  if (c.a.x == c.b.x && c.a.y == c.b.y) {
    out += "<circle cx=\"" + px(c.a.x) + "\" cy=\"" + px(c.a.y) + "\" r=\"" + px(c.radius) + "\" fill=\"" +
           hex(c.from) + "\"/>\n";
    return;
  }
  out += "<path d=\"M" + px(c.a.x) + " " + px(c.a.y) + "L" + px(c.b.x) + " " + px(c.b.y) + "\" stroke=\"" +
         hex(mix(c.from, c.to, 0.5)) + "\" stroke-width=\"" + px(2 * c.radius) + "\"/>\n";
}

/// The visible cells as an embedded image of whole cells; a nested viewport crops it.
void write(std::string& out, const Image& i) {
  if (!i.shades || !i.palette || i.cols <= 0 || i.rows <= 0) return;
  const auto span = [](float first, float count, std::size_t size) {
    const auto from = std::min(static_cast<std::size_t>(std::max(std::floor(first), 0.0f)), size);
    const auto to = std::min(static_cast<std::size_t>(std::max(std::ceil(first + count), 0.0f)), size);
    return std::pair(from, to - from);
  };
  const auto [col, cols] = span(i.col, i.cols, i.shades->width());
  const auto [row, rows] = span(i.row, i.rows, i.shades->height());
  if (!cols || !rows) return;
  out += "<svg x=\"" + px(i.rect.x) + "\" y=\"" + px(i.rect.y) + "\" width=\"" + px(i.rect.w) + "\" height=\"" +
         px(i.rect.h) + "\" viewBox=\"" + px(i.col - static_cast<float>(col)) + " " +
         px(i.row - static_cast<float>(row)) + " " + px(i.cols) + " " + px(i.rows) +
         "\" preserveAspectRatio=\"none\"><image width=\"" + std::to_string(cols) + "\" height=\"" +
         std::to_string(rows) + "\" preserveAspectRatio=\"none\" image-rendering=\"pixelated\" href=\"" +
         "data:image/png;base64," + to_base64(to_png(*i.shades, *i.palette, row, rows, col, cols)) + "\"/></svg>\n";
}

void write(std::string& out, const FilledRect& b) {
  out += "<rect x=\"" + px(b.rect.x) + "\" y=\"" + px(b.rect.y) + "\" width=\"" + px(b.rect.w) + "\" height=\"" +
         px(b.rect.h) + "\"" + (b.corner > 0 ? " rx=\"" + px(b.corner) + "\"" : "") + " fill=\"" + hex(b.fill) +
         "\"/>\n";
}

void write(std::string& out, const Ring& r) {
  out += "<circle cx=\"" + px(r.centre.x) + "\" cy=\"" + px(r.centre.y) + "\" r=\"" + px(r.radius) +
         "\" fill=\"none\" stroke=\"" + hex(r.colour) + "\" stroke-width=\"" + px(r.width) + "\"/>\n";
}

/// Where the page's font is missing, a viewer fits its own letters into the width that the layout left for them.
std::string length(const Label& l) {
  const Rect box = label_box(l);
  if (l.text.size() < kShortest || box.w <= 0 || box.h <= 0) return "";
  return " textLength=\"" + px(l.turned ? box.h : box.w) + "\" lengthAdjust=\"spacingAndGlyphs\"";
}

void write(std::string& out, const Label& l) {
  const char* anchor = l.anchor == Anchor::start    ? ""
                       : l.anchor == Anchor::middle ? " text-anchor=\"middle\""
                                                    : " text-anchor=\"end\"";
  // Not every viewer supports dominant-baseline; a third of the font size centres digits.
  const std::string turn = l.turned ? " transform=\"rotate(-90 " + px(l.at.x) + " " + px(l.at.y) + ")\"" : "";
  out += "<text x=\"" + px(l.at.x) + "\" y=\"" + px(l.at.y + l.size * 0.35f) + "\" font-size=\"" + px(l.size) + "\"" +
         turn + anchor + length(l) + (l.weight == Weight::strong ? " font-weight=\"600\"" : "") + " fill=\"" +
         hex(l.colour) + "\">" + escaped(l.text) + "</text>\n";
}

template <class Shape>
void write_all(std::string& out, const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes) write(out, shape);
}

void write_layer(std::string& out, const Layer& layer, const Rect& rect) {
  write_all(out, layer.images);
  write_all(out, layer.boxes);
  if (!layer.capsules.empty()) {
    out += "<g fill=\"none\" stroke-linecap=\"round\">\n";
    write_all(out, layer.capsules);
    out += "</g>\n";
  }
  for (const Cloud& cloud : layer.clouds) write(out, picture_of(cloud, rect));
  write_all(out, layer.rings);
}

}  // namespace

std::string to_svg(const Drawing& drawing, const std::string& title, const std::string& description,
                   const std::vector<std::pair<std::string, std::string>>& metadata) {
  const std::string w = px(drawing.width), h = px(drawing.height);
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " +
      h + "\" font-family=\"'Helixscope Sans', 'IBM Plex Sans', 'Helvetica Neue', Arial, sans-serif\" role=\"img\">\n";
  out += "<title>" + escaped(title) + "</title>\n<desc>" + escaped(description) + "</desc>\n";
  if (!metadata.empty()) {
    out += "<metadata xmlns:hs=\"https://helixscope.invalid/ns\">\n";
    for (const auto& [key, value] : metadata) out += "<hs:" + key + ">" + escaped(value) + "</hs:" + key + ">\n";
    out += "</metadata>\n";
  }
  for (std::size_t i = 0; i < drawing.blocks.size(); ++i) {
    const Block& b = drawing.blocks[i];
    const std::string clip = "c" + std::to_string(i);
    out += "<clipPath id=\"" + clip + "\"><rect x=\"" + px(b.rect.x) + "\" y=\"" + px(b.rect.y) + "\" width=\"" +
           px(b.rect.w) + "\" height=\"" + px(b.rect.h) + "\"/></clipPath>\n";
    out += "<g id=\"" + escaped(b.panel.empty() ? "text" : b.panel) + "\" clip-path=\"url(#" + clip + ")\">\n";
    for (const Layer& layer : b.layers) write_layer(out, layer, b.rect);
    write_all(out, b.labels);
    out += "</g>\n";
  }
  return out + "</svg>\n";
}

}  // namespace helix::figure
