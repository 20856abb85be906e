#include "figure/table.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/decimal.h"
#include "base/text.h"
#include "figure/ticks.h"

namespace helix::figure {
namespace {

/// A spreadsheet would run a text that begins like a formula, and texts hold what a visitor or a file has typed: an
/// apostrophe in front marks it as a text. Numbers stay numbers.
std::string not_run(const std::string& text) {
  if (text.empty() || std::string_view("=+-@\t\r").find(text[0]) == std::string_view::npos || parse_real(text))
    return text;
  return "'" + text;
}

std::string csv_field(const std::string& written) {
  const std::string text = not_run(written);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string markdown_field(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::size_t row_count(const Table& table) {
  std::size_t rows = 0;
  for (const Table::Column& c : table.columns) rows = std::max({rows, c.values.size(), c.texts.size()});
  return rows;
}

std::string heading(const Table::Column& column) {
  return column.unit.empty() ? column.name : column.name + " (" + column.unit + ")";
}

namespace {

/// Without letters, a text's numbers have a point and commas between thousands in every language, as tables and exports do.
std::string pointed(const std::string& text) {
  constexpr std::string_view narrow = "\u202f";
  const auto is = [](auto kind, char c) { return kind(static_cast<unsigned char>(c)) != 0; };
  if (decimal_mark() == '.' || std::ranges::any_of(text, [&](char c) { return is(isalpha, c); })) return text;
  const auto digit = [&](std::size_t at) { return at < text.size() && is(isdigit, text[at]); };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool within = i > 0 && digit(i - 1);
    if (within && text[i] == ',' && digit(i + 1)) {
      out += '.';
    } else if (within && text.compare(i, narrow.size(), narrow) == 0 && digit(i + narrow.size())) {
      out += ',', i += narrow.size() - 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string cell(const Table::Column& column, std::size_t row) {
  if (!column.texts.empty()) return row < column.texts.size() ? pointed(column.texts[row]) : std::string();
  if (row >= column.values.size()) return {};
  const double value = column.values[row];
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  return pointed(column.digits < 0 ? plain_number(value) : to_fixed(value, column.digits));
}

std::string to_csv(const Table& table) {
  std::string out;
  for (std::size_t j = 0; j < table.columns.size(); ++j) out += (j ? "," : "") + csv_field(heading(table.columns[j]));
  out += "\r\n";
  const std::size_t rows = row_count(table);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
      if (j) out += ",";
      const auto& [name, unit, digits, values, texts] = table.columns[j];
      if (i < values.size() && !(std::isnan(values[i]) && i < texts.size()))
        out += to_text(values[i]);
      else if (i < texts.size())
        out += csv_field(pointed(texts[i]));
    }
    out += "\r\n";
  }
  return out;
}

std::string to_markdown(const Table& table) {
  std::string head = "|", rule = "|", body;
  for (const Table::Column& column : table.columns) {
    head += " " + markdown_field(heading(column)) + " |";
    rule += column.texts.empty() ? "---:|" : "---|";
  }
  const std::size_t rows = row_count(table);
  for (std::size_t i = 0; i < rows; ++i) {
    body += "|";
    for (const Table::Column& column : table.columns) body += " " + markdown_field(cell(column, i)) + " |";
    body += "\n";
  }
  return head + "\n" + rule + "\n" + body;
}

}  // namespace helix::figure
