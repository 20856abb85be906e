// The interface between the page's module and JavaScript. Input arrives through this bridge only: Emscripten's GLFW
// listens on the whole window and would take Tab and Backspace from every text field of the page.
#include <emscripten.h>
#include <emscripten/html5.h>
#include <imgui.h>

#include "app/edits_json.h"
#include "app/menu_json.h"
#include "app/sharing.h"
#include "app/snapshot.h"
#include "app/window.h"
#include "base/words.h"
#include "figure/table.h"
#include "protocol/export.h"
#include "state/permalink.h"

// clang-format off: what follows is JavaScript
EM_JS_DEPS(helix_bridge, "$GL,$GLFW,$UTF8ToString");

EM_JS(void, js_send, (const char* text, size_t length), { Module["onSend"](UTF8ToString(text, length)); });
EM_JS(void, js_changed, (), { Module["onChanged"](); });
EM_JS(void, js_progressed, (), { Module["onProgressed"](); });
EM_JS(void, js_turned, (), { Module["onTurned"](); });

// Removes the event listeners that GLFW has installed.
EM_JS(void, js_silence_glfw, (), {
  const canvas = Module["canvas"];
  const on_window = [
    [ "keydown", GLFW.onKeydown ], [ "keypress", GLFW.onKeyPress ], [ "keyup", GLFW.onKeyup ], [ "blur", GLFW.onBlur ],
    [ "gamepadconnected", GLFW.onGamepadConnected ], [ "gamepaddisconnected", GLFW.onGamepadDisconnected ]
  ];
  const on_canvas = [
    [ "touchmove", GLFW.onMousemove ], [ "touchstart", GLFW.onMouseButtonDown ],
    [ "touchcancel", GLFW.onMouseButtonUp ], [ "touchend", GLFW.onMouseButtonUp ], [ "mousemove", GLFW.onMousemove ],
    [ "mousedown", GLFW.onMouseButtonDown ], [ "mouseup", GLFW.onMouseButtonUp ], [ "wheel", GLFW.onMouseWheel ],
    [ "mousewheel", GLFW.onMouseWheel ], [ "mouseenter", GLFW.onMouseenter ], [ "mouseleave", GLFW.onMouseleave ],
    [ "drop", GLFW.onDrop ], [ "dragover", GLFW.onDragover ]
  ];
  for (const[name, listener] of on_window) window.removeEventListener(name, listener, true);
  for (const[name, listener] of on_canvas) canvas.removeEventListener(name, listener, true);
  GLFW.devicePixelRatioMQL ?.removeEventListener("change", GLFW.onDevicePixelRatioChange);
  canvas.style.removeProperty("width");
  canvas.style.removeProperty("height");
});

// Dear ImGui's backend saves and restores the GL state in every frame. Each such query waits for the GPU process, which
// takes most of a frame's time. No one shares this context, and each painter sets the state it needs, so these queries
// are answered with the context's defaults; all others reach WebGL.
EM_JS(void, js_answer_gl_questions, (), {
  const gl = Module["ctx"];
  if (!gl) return;
  const ask = gl.getParameter.bind(gl);
  const whole = () => new Int32Array([ 0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight ]);
  const defaults =
      new Map([[gl.ACTIVE_TEXTURE, () => gl.TEXTURE0], [gl.CURRENT_PROGRAM, () => null],
               [gl.TEXTURE_BINDING_2D, () => null], [gl.SAMPLER_BINDING, () => null],
               [gl.ARRAY_BUFFER_BINDING, () => null], [gl.VERTEX_ARRAY_BINDING, () => null], [gl.VIEWPORT, whole],
               [gl.SCISSOR_BOX, whole], [gl.BLEND_SRC_RGB, () => gl.ONE], [gl.BLEND_DST_RGB, () => gl.ZERO],
               [gl.BLEND_SRC_ALPHA, () => gl.ONE], [gl.BLEND_DST_ALPHA, () => gl.ZERO],
               [gl.BLEND_EQUATION_RGB, () => gl.FUNC_ADD], [gl.BLEND_EQUATION_ALPHA, () => gl.FUNC_ADD]]);
  gl.getParameter = (name) => (defaults.has(name) ? defaults.get(name)() : ask(name));
});
// Writes a text into the texture with this name; returns its width and height in device pixels as one number.
EM_JS(double, js_write_text, (unsigned name, const char* text, double size, int strong, int r, int g, int b), {
  const words = UTF8ToString(text);
  const canvas = document.createElement("canvas");
  const font = (strong ? "600 " : "") + size + "px 'Helixscope Sans', sans-serif";
  let pen = canvas.getContext("2d");
  if (!pen) return 0;
  pen.font = font;
  pen.textRendering = "geometricPrecision"; // advances that are not rounded: the layout counts with those
  const width = Math.min(Math.max(Math.ceil(pen.measureText(words).width), 1), 2048), height = Math.ceil(size * 1.5);
  canvas.width = width;
  canvas.height = height;
  pen.font = font;
  pen.textRendering = "geometricPrecision";
  pen.fillStyle = "rgb(" + r + " " + g + " " + b + ")";
  pen.textBaseline = "middle";
  pen.fillText(words, 0, height / 2);
  const gl = Module["ctx"];
  gl.bindTexture(gl.TEXTURE_2D, GL.textures[name]);
  gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, canvas);
  for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.LINEAR);
  gl.bindTexture(gl.TEXTURE_2D, null);
  return width * 65536 + height;
});
// clang-format on

namespace {

using helix::app::App;
using helix::app::Canvas;
using helix::app::Window;

/// The browser has a font for every script.
helix::ui::TextPicture write_text(unsigned texture, const helix::figure::Label& label, float density) {
  const double size =
      js_write_text(texture, label.text.c_str(), static_cast<double>(label.size * density),
                    label.weight == helix::figure::Weight::strong, label.colour.r, label.colour.g, label.colour.b);
  const int width = static_cast<int>(size / 65536);
  helix::ui::TextPicture picture;
  picture.width = static_cast<float>(width) / density;
  picture.height = static_cast<float>(size - width * 65536.0) / density;
  return picture;
}

struct Page {
  App app{helix::studies::view_studies(),
          {[](const helix::protocol::Request& request) {
             const std::string text = helix::protocol::to_text(request);
             js_send(text.data(), text.size());
           },
           js_changed, emscripten_get_now, js_progressed, js_turned}};
  Canvas canvas{app};
  Window window{canvas, write_text};
  std::string text;  // what the last getter returned
  std::vector<std::byte> bytes;
};

Page& page() {
  static Page instance;
  return instance;
}

const char* hand_out(std::string text) {
  page().text = std::move(text);
  return page().text.c_str();
}

helix::figure::Rgba colour(unsigned rgb) {
  return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8), static_cast<std::uint8_t>(rgb),
          255};
}

}  // namespace

extern "C" {

/// Opens the canvas; 0 without WebGL2. The app works without it.
EMSCRIPTEN_KEEPALIVE int ui_open_canvas(int width, int height) {
  const bool open = page().window.open(width, height);
  js_silence_glfw();
  js_answer_gl_questions();
  return open ? 1 : 0;
}

/// Whether ui.wasm can draw a link's view without the rest of the module, which tools/dev/split_module.py took out of it: the first
/// study's, compared with nothing.
EMSCRIPTEN_KEEPALIVE int ui_draws_alone(const char* link) {
  const auto& schemas = page().app.schemas();
  const helix::state::AppState opened = helix::state::decode(link, schemas).state;
  return opened.study == schemas.front().id && opened.compare == helix::state::Compare::none ? 1 : 0;
}

EMSCRIPTEN_KEEPALIVE void ui_resize(float width, float height, float density) {
  page().window.resize(width, height, density);
}
EMSCRIPTEN_KEEPALIVE void ui_add_font(const unsigned char* data, int size, int strong) {
  page().window.add_font(data, size, strong != 0);
}
EMSCRIPTEN_KEEPALIVE float ui_preferred_height(float width) {
  return helix::figure::preferred_height(page().app.figure(), width, page().canvas.theme.font);
}
EMSCRIPTEN_KEEPALIVE float ui_least_height(float width) {
  return helix::figure::least_height(page().app.figure(), width, page().canvas.theme.font);
}
EMSCRIPTEN_KEEPALIVE void ui_context_lost() { page().window.context_lost(); }
EMSCRIPTEN_KEEPALIVE int ui_context_restored() { return page().window.context_restored() ? 1 : 0; }
EMSCRIPTEN_KEEPALIVE void ui_reduced_motion(int reduced) { page().app.set_reduced_motion(reduced != 0); }

EMSCRIPTEN_KEEPALIVE void ui_theme(int dark, unsigned background, unsigned panel, unsigned line, unsigned text,
                                   unsigned mute, unsigned accent, unsigned warm, float font) {
  helix::figure::Theme& theme = page().canvas.theme;
  theme.dark = dark != 0;
  theme.background = colour(background), theme.panel = colour(panel), theme.line = colour(line),
  theme.text = colour(text);
  theme.mute = colour(mute), theme.accent = colour(accent), theme.warm = colour(warm), theme.font = font;
  page().window.apply_theme();
}

/// Draws a frame; 1 if something is animated and another frame is due.
EMSCRIPTEN_KEEPALIVE int ui_frame(double now) {
  page().window.draw(now);
  return page().app.animating() || page().canvas.swaying() ? 1 : 0;
}

/// kind: 0 moved, 1 pressed, 2 released, 3 left. `touch`: the pointer is a finger.
EMSCRIPTEN_KEEPALIVE void ui_pointer(int kind, float x, float y, int button, int touch) {
  if (!page().window.is_open()) return;
  ImGuiIO& io = ImGui::GetIO();
  io.AddMouseSourceEvent(touch ? ImGuiMouseSource_TouchScreen : ImGuiMouseSource_Mouse);
  if (kind == 3) {
    io.AddMousePosEvent(-FLT_MAX, -FLT_MAX);
    page().canvas.pointer_left();
    return;
  }
  io.AddMousePosEvent(x, y);
  page().canvas.pointer_came();
  if (kind == 1 || kind == 2) io.AddMouseButtonEvent(button, kind == 1);
}

EMSCRIPTEN_KEEPALIVE void ui_wheel(float notches) {
  if (page().window.is_open()) ImGui::GetIO().AddMouseWheelEvent(0, notches);
}

EMSCRIPTEN_KEEPALIVE int ui_pinch(float x, float y, float scale, float dx, float dy, int ended) {
  return page().canvas.pinch(x, y, scale, dx, dy, ended != 0) ? 1 : 0;
}

/// Two fingers: whether they hold two positions of the text on a curve; whether they still do as they move; one is lifted.
EMSCRIPTEN_KEEPALIVE int ui_holds_two(float ax, float ay, float bx, float by) {
  return page().canvas.holds_two({ax, ay}, {bx, by}) ? 1 : 0;
}
EMSCRIPTEN_KEEPALIVE int ui_pull(float ax, float ay, float bx, float by) {
  return page().canvas.pull({ax, ay}, {bx, by}) ? 1 : 0;
}
EMSCRIPTEN_KEEPALIVE void ui_end_pull() { page().canvas.end_pull(); }

EMSCRIPTEN_KEEPALIVE int ui_takes_touch(float x, float y) { return page().canvas.takes_touch({x, y}) ? 1 : 0; }
/// Whether a finger here holds something that follows it in every direction: an end of a range, or the text on a curve.
EMSCRIPTEN_KEEPALIVE int ui_holds(float x, float y) { return page().canvas.holds({x, y}) ? 1 : 0; }
EMSCRIPTEN_KEEPALIVE int ui_takes_pinch(float x, float y) { return page().canvas.takes_pinch({x, y}) ? 1 : 0; }
EMSCRIPTEN_KEEPALIVE void ui_cancel_press() { page().canvas.cancel_press(); }

EMSCRIPTEN_KEEPALIVE void ui_double_click(float x, float y) { page().canvas.double_click({x, y}); }

EMSCRIPTEN_KEEPALIVE void ui_shift(int down) {
  if (page().window.is_open()) ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, down != 0);
}

EMSCRIPTEN_KEEPALIVE int ui_key(const char* name, int shift, int alt) {
  return page().canvas.key(name, shift != 0, alt != 0) ? 1 : 0;
}

/// The menu of what can be done to what is under a point: 1 if it is open.
EMSCRIPTEN_KEEPALIVE int ui_open_menu(float x, float y) { return page().canvas.open_menu({x, y}) ? 1 : 0; }
EMSCRIPTEN_KEEPALIVE void ui_close_menu() { page().canvas.close_menu(); }
EMSCRIPTEN_KEEPALIVE void ui_act(unsigned item) { page().canvas.act(item); }
/// The open menu as JSON; empty if none is open.
EMSCRIPTEN_KEEPALIVE const char* ui_menu() {
  const auto menu = page().canvas.menu();
  return hand_out(menu ? helix::app::menu_json(*menu) : "");
}

/// Runs an action given as JSON; returns the sentence of its error, or an empty one.
EMSCRIPTEN_KEEPALIVE const char* ui_dispatch(const char* action) {
  const auto done = helix::app::dispatch(page().app, action);
  return hand_out(done ? "" : done.error().sentence);
}

/// Handles a reply of the engine; returns the sentence of its error, or an empty one.
EMSCRIPTEN_KEEPALIVE const char* ui_receive(const char* text, std::size_t length, const double* data,
                                            std::size_t count) {
  const auto reply = helix::protocol::parse_reply({text, length}, data, count);
  if (!reply) return hand_out(reply.error().sentence);
  page().app.receive(*reply);
  return hand_out("");
}

/// Called once, before all others: the studies' words. Returns 1 if they can be read.
EMSCRIPTEN_KEEPALIVE int ui_load_words(const char* text, std::size_t length) {
  return helix::load_words({text, length}) ? 1 : 0;
}

EMSCRIPTEN_KEEPALIVE const char* ui_schemas() { return hand_out(helix::app::schemas_json(page().app.schemas())); }
EMSCRIPTEN_KEEPALIVE const char* ui_schema_hash() {
  return hand_out(helix::protocol::schema_hash(page().app.schemas()));
}
EMSCRIPTEN_KEEPALIVE const char* ui_edit_forms() { return hand_out(helix::app::edit_forms_json()); }
/// The label of this edit, and why it cannot run, if it cannot.
EMSCRIPTEN_KEEPALIVE const char* ui_told_edit(const char* spec) {
  return hand_out(helix::app::told_edit_json(page().app, spec));
}
/// Links to the present state, as the options ask (app/sharing.h).
EMSCRIPTEN_KEEPALIVE const char* ui_links(const char* options) {
  return hand_out(helix::app::links_json(page().app, options));
}
EMSCRIPTEN_KEEPALIVE const char* ui_hide_names() { return hand_out(helix::app::hide_names_json()); }
EMSCRIPTEN_KEEPALIVE const char* ui_snapshot() {
  return hand_out(helix::app::snapshot_json(page().app, page().canvas.drawing()));
}
EMSCRIPTEN_KEEPALIVE const char* ui_tokens() { return hand_out(helix::app::tokens_json(page().app.result())); }
EMSCRIPTEN_KEEPALIVE const char* ui_tables() { return hand_out(helix::app::tables_json(page().app.figure())); }
EMSCRIPTEN_KEEPALIVE int ui_on_the_way() { return page().app.on_the_way() ? 1 : 0; }
EMSCRIPTEN_KEEPALIVE int ui_busy() { return page().app.busy() ? 1 : 0; }

EMSCRIPTEN_KEEPALIVE const char* ui_csv(unsigned table) {
  const auto& tables = page().app.figure().tables;
  return hand_out(table < tables.size() ? helix::figure::to_csv(tables[table]) : "");
}

EMSCRIPTEN_KEEPALIVE const char* ui_markdown(unsigned table) {
  const auto& tables = page().app.figure().tables;
  return hand_out(table < tables.size() ? helix::figure::to_markdown(tables[table]) : "");
}

/// The figure as SVG in the canvas' theme; with title, prompt and provenance when `standalone`, as high as it wishes where
/// the height is 0.
EMSCRIPTEN_KEEPALIVE const char* ui_svg(float width, float height, int standalone) {
  Page& p = page();
  if (!standalone) return hand_out(p.canvas.svg(p.canvas.theme, width, height, ""));
  const helix::protocol::Result shown = p.app.exported();
  return hand_out(p.canvas.svg(p.canvas.theme, width, height, helix::protocol::provenance_line(shown.provenance),
                               helix::protocol::prompt_line(shown)));
}

/// The result's arrays as .npz: their address; ui_bytes_length gives their size.
EMSCRIPTEN_KEEPALIVE const std::byte* ui_npz() {
  page().bytes = helix::protocol::to_npz(page().app.exported());
  return page().bytes.data();
}
EMSCRIPTEN_KEEPALIVE std::size_t ui_bytes_length() { return page().bytes.size(); }

/// x, y, width, height in CSS pixels of the canvas; all 0 if nothing has this id.
EMSCRIPTEN_KEEPALIVE const float* ui_rect(const char* id) {
  static helix::figure::Rect rect;
  rect = page().canvas.rect(id);
  return &rect.x;
}
}
