#include "tests/support.h"

std::string helix::testing::in_repository(const std::string& path) { return HELIXSCOPE_SOURCE_DIR "/" + path; }
