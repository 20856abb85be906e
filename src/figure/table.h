// Tables as text, for screen readers and spreadsheets.
#pragma once

#include <string>

#include "figure/figure.h"

namespace helix::figure {

std::size_t row_count(const Table& table);
/// "position" or "PC1 (share)".
std::string heading(const Table::Column& column);
/// The cell as it is read aloud, at the column's precision.
std::string cell(const Table::Column& column, std::size_t row);
/// RFC 4180, numbers in full precision, also where the cell shows a text for one.
std::string to_csv(const Table& table);
/// A table in GitHub's Markdown; numbers as cell() writes them.
std::string to_markdown(const Table& table);

}  // namespace helix::figure
