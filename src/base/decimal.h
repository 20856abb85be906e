// The decimal mark of what is read: a point, or the comma of the language whose words are loaded (base/words.h). to_fixed,
// number_text and with_thousands of base/text.h write it; links, exports and pictures' coordinates keep the point.
#pragma once

#include <string>

namespace helix {

/// '.' or ','; with a comma, thousands stand apart by a narrow space, in numbers of five digits or more.
char decimal_mark();
void set_decimal_mark(char mark);

/// As to_text, for reading.
std::string to_shown(double value);
/// `digits` digits after the point, which is one in every language: for what a program reads.
std::string to_pointed(double value, int digits);

}  // namespace helix
