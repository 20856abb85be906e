// The tables of a result, made for every study from its field list: its numbers, and its lists along each axis. A study
// writes only those that say more: rows that lead somewhere, an order of its own, columns that it works out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/schema.h"
#include "figure/figure.h"
#include "protocol/result.h"

namespace helix::studies {

inline constexpr std::size_t kMostTableRows = 4096, kMostTableColumns = 64;  // larger lists are in the exports alone
inline constexpr const char* kComponent = "component";  // what runs along it is a column or a line for each: "PC1"

/// Whether the entries of an axis are counted from one.
bool from_one(const std::string& axis);
/// The index at which an array's k-th axis begins.
long long first_index(const protocol::Array& array, std::size_t k);

/// An axis in the visitor's language: "position", "matrix a".
std::string axis_text(std::string_view axis);
/// What an output is called where it stands alone: its label, after its unit where the label goes on from that.
std::string output_name(const OutputSpec& spec);
/// A number of this output for reading, in the visitor's language: "12.90 %", "3.3901", "1.2·10⁻¹⁵"; "undefined".
std::string value_text(const OutputSpec& spec, double value);
/// The digits of a table's column of this output: those of its numbers as they are, not of percentages.
int column_digits(const OutputSpec& spec);

/// The keys and labels of the so many entries along `axis`.
std::vector<figure::Table::Column> naming_columns(const StudySchema& schema, const protocol::Result& result,
                                                  const std::string& axis, std::size_t entries);
/// Their index.
figure::Table::Column index_column(const std::string& axis, long long first, std::size_t entries);
/// A matrix, a column for each entry of its second axis, or of its first where only that makes few enough; no columns if
/// it is too large. `named` has the names of the entries, with its `tokens` at their positions if they are all sides' own.
figure::Table matrix_table(std::string title, const StudySchema& schema, const OutputSpec& spec,
                           const protocol::Array& matrix, const protocol::Result& named, bool tokens = true);

/// Every number with its unit and what is said of it.
figure::Table numbers_table(const StudySchema& schema, const protocol::Result& result);
/// The lists of a result along these axes, one or two, as columns beside each other, with the union of their entries; one
/// list along two axes as a matrix, unless it is to be `listed` too. No columns if there are none.
figure::Table table_over(const StudySchema& schema, const protocol::Result& result,
                         const std::vector<std::string>& axes, bool listed = false);
/// Adds the tables of a result that its figure has not got yet (figure::Table::over).
void add_field_tables(figure::Figure& figure, const StudySchema& schema, const protocol::Result& result);

}  // namespace helix::studies
