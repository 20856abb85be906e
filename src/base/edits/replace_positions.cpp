#include "base/edits/form.h"

namespace helix::forms {

EditForm replace_positions() {
  const EditField sinusoidal{EditValue::word, "sinusoidal"};
  const EditField base{.value = EditValue::real,
                       .name = "base",
                       .label = "Base",
                       .start = "10000",
                       .min = 1.000001,
                       .max = 1e9,
                       .optional = true,
                       .told = ", base {}"};
  return {.group = kPositions,
          .label = "Use sinusoidal positions",
          .sentence = "Replaces the learned rows by sines and cosines, scaled to the mean norm of the learned rows.",
          .told = "Sinusoidal positions{base}",
          .fields = {sinusoidal, base}};
}

}  // namespace helix::forms
