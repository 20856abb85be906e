// Is the engine right? Every number that others have published about this checkpoint, computed anew, and the engine's
// products and cache checked on this very machine. Claims F1 and F9, and a table of logits published with Orion.
#pragma once

#include "studies/study.h"

namespace helix::studies::verification {

struct Params {
  template <class V, class Self>
  static void fields(V&&, Self&) {}
};

struct Output : OutputBase {
  protocol::Quantity held, differ, untested, worst_logit, worst_product, cache_difference;
  protocol::Grid product_error;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::ArrayField, protocol::ScalarField;
    v(ScalarField{"held", "checks", "published checks that hold here"}, o.held);
    v(ScalarField{"differ", "checks", "published checks that do not"}, o.differ);
    v(ScalarField{"untested", "checks", "published checks that need tensors which are not here"}, o.untested);
    v(ScalarField{"worst_logit", "logits", "largest difference from a published logit"}, o.worst_logit);
    v(ScalarField{"worst_product", "fraction", "largest relative error of a matrix product"}, o.worst_product);
    v(ScalarField{"cache_difference", "logits", "at once against token by token"}, o.cache_difference);
    v(ArrayField{"product_error", "fraction", "relative error of each matrix's product", {"layer", "matrix"}},
      o.product_error);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "verification";
  schema.title = "Is the engine right?";
  schema.group = "The model";
  schema.question = "Do the numbers that others have published come out here, on this machine?";
  schema.source = "mechramc/Orion 65372ff (MIT): logits of GPT-2 small; Dissecting the frog, 2023: logits and norms";
  schema.reads = Reads::model;
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::verification
