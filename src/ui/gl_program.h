// A WebGL2 program from its two shaders.
#pragma once

namespace helix::ui {

/// 0 if it does not compile or link. Needs a current context.
unsigned make_program(const char* vertex, const char* fragment);

}  // namespace helix::ui
