#include "base/source_text.h"

namespace helix {

std::string_view source_text(std::string_view claim) {
  if (claim.size() < 2 || claim[1] < '0' || claim[1] > '9') return "";
  switch (claim[0]) {
    case 'H':
      return "GPT-2's positional embedding matrix is a helix (A. Yedidia, 2023)";
    case 'O':
      return "Insights into GPT-2's positional encodings (2024)";
    case 'T':
      return "The positional embedding matrix and previous-token heads (A. Yedidia, 2023)";
    case 'F':
      return "Dissecting the frog (A. Bortolato, G. Fasiolo, L. Volpi and M. Zara, 2025)";
    case 'P':
      return "Positional embeddings are strange";
    default:
      return "";
  }
}

}  // namespace helix
