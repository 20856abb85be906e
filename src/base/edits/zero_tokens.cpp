#include "base/edits/form.h"

namespace helix::forms {

EditForm zero_tokens() {
  return {.group = kStreams,
          .label = "Remove token embeddings",
          .sentence = "Sets every token embedding to 0: the model sees positions alone.",
          .told = "No token embeddings"};
}

}  // namespace helix::forms
