// What others have measured of GPT-2 small's heads: on random tokens, on random tokens twice, and on prose.
#pragma once

#include <string>
#include <vector>

#include "studies/head_taxonomy/head_taxonomy.h"

namespace helix::studies::head_taxonomy {

/// Judged only where the text that ran is the one of their links, without edits.
std::vector<protocol::Claim> findings(const Output& output, const std::string& ran);

/// Whether one of the texts of random tokens ran: the source text's claims are about prose.
bool is_random(const Output& output);

}  // namespace helix::studies::head_taxonomy
