// The keys of a link that say what runs through the model: prompt, tokens, bos, keep, edit, precision.
#pragma once

#include <string>

#include "base/subject.h"
#include "state/link_text.h"

namespace helix::state {

/// Clears what the named keys replace, before any of them is read: earlier edits and token ids.
void make_room(Subject& subject, const Pairs& pairs);
KeyOutcome read_subject_key(Subject& subject, const std::string& key, const std::string& value);

/// The default text without edits. The precision is that of the model, not of what it reads: it stays.
Subject clean_subject(const Subject& subject);

/// What differs from the default, in the order of a link.
void write_subject(const Subject& subject, const AddPair& add);

}  // namespace helix::state
