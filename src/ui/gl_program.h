// A WebGL2 program from its two shaders.
#pragma once

namespace helix::ui {

/// 0 where it does not compile or link. Only while a context is current.
unsigned make_program(const char* vertex, const char* fragment);

}  // namespace helix::ui
