#include "base/edits/form.h"

namespace helix::forms {

EditForm patch() {
  const EditField hook{.value = EditValue::hook, .name = "hook", .label = "Hook", .start = "blocks.0.hook_resid_pre"};
  const EditField position{.value = EditValue::token,
                           .name = "position",
                           .label = "Position, or all",
                           .optional = true,
                           .told = " at position {}"};
  const EditField head{.value = EditValue::whole,
                       .name = "head",
                       .label = "Head, or all",
                       .bound = Bound::last_head,
                       .optional = true,
                       .told = " in head {}"};
  return {.group = kStreams,
          .label = "Patch from the other side",
          .sentence =
              "Values at this hook become those of the run on the other side of a comparison, which is run as it is "
              "there: at one position or at all, of one head or of all.",
          .told = "{hook}{position}{head} from the other side",
          .fields = {hook, position, head},
          .from_other = true};
}

}  // namespace helix::forms
