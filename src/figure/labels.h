// The short texts of a figure – at its axes, lines, rules and colour bars – in the visitor's language. Views write them in
// English, where they are read (in_words, base/words.h); tables, and numbers that are exported, keep the English names.
#pragma once

#include <functional>
#include <string>

#include "figure/figure.h"

namespace helix::figure {

/// Calls `use` with each of them, also the empty ones; not with tokens, along a scale or beside points.
void each_label(Figure& figure, const std::function<void(std::string&)>& use);

/// Calls `use` with each text of a reading: its title, and what stands before the two spaces and the number of a line.
void each_label(Reading& reading, const std::function<void(std::string&)>& use);

/// Each in the language of the words; what these lack stays as it is.
void put_into_words(Figure& figure);
void put_into_words(Reading& reading);

}  // namespace helix::figure
