// The declared edits: every kind is parsed from its own fields, described in words, and checked against a model.
#include "base/edit_forms.h"

#include <cmath>
#include <set>

#include "base/edit_shift.h"
#include "base/text.h"
#include "tests/support.h"

namespace edit_forms_test {

using namespace helix;
using namespace helix::testing;

namespace {

/// What the page's form writes for a field that keeps its start value.
std::string start_of(const EditField& field) {
  if (field.value == EditValue::choice) return std::string(field.name.substr(0, field.name.find('|')));
  if (field.value == EditValue::flag || field.value == EditValue::word) return std::string(field.name);
  return field.start.empty() ? "0" : std::string(field.start);
}

/// The text with all of its fields, or with its required fields only.
std::string text_of(const EditForm& form, bool with_optional) {
  std::string text(form.name);
  for (const EditField& field : form.fields)
    if (with_optional || !field.optional) text += field.before + start_of(field);
  return text;
}

}  // namespace

TEST_CASE("every kind of edit is read from its own fields", "[edits]") {
  std::set<EditKind> kinds;
  std::set<std::string_view> labels;
  std::vector<std::string_view> groups;
  for (const EditForm& form : edit_forms()) {
    CAPTURE(form.name);
    kinds.insert(form.kind);
    labels.insert(form.label);
    if (groups.empty() || groups.back() != form.group) groups.push_back(form.group);
    check_sentence(std::string(form.sentence));
    for (const bool with_optional : {false, true}) {
      const std::string text = text_of(form, with_optional);
      CAPTURE(text);
      const auto edit = parse_edit(text);
      REQUIRE(edit);
      CHECK(edit->kind == form.kind);
      const std::string label = edit_label(text);
      CHECK(label != text);
      CHECK(label.find_first_of("{}") == std::string::npos);
    }
    CHECK(written(form).starts_with(form.name));
    for (const EditField& field : form.fields) {
      CAPTURE(field.name);
      CHECK((field.value == EditValue::word) == field.label.empty());
      CHECK(value_name(field.value).size() > 2);
    }
  }
  CHECK(kinds.size() == edit_forms().size());
  CHECK(labels.size() == edit_forms().size());
  CHECK(std::set(groups.begin(), groups.end()).size() == groups.size());  // the edits of a group are adjacent
}

TEST_CASE("every form of edit is read", "[edits]") {
  for (const char* spec : {"group_positions:10",
                           "permute_positions:7",
                           "permute_positions:7:3",
                           "shift_positions:12",
                           "zero_positions",
                           "zero_tokens",
                           "no_mask",
                           "replace_positions:sinusoidal",
                           "replace_positions:sinusoidal:1000",
                           "rank_positions:30",
                           "group_residual:1:10",
                           "mask_previous:0-3:5",
                           "mask_previous:2:5:after",
                           "set_score:2.1:5:3:-inf",
                           "set_score:2.1:5:3:0.25",
                           "set_pattern:2.1:5:3:0.25",
                           "move_attention:2.1:9:4:5",
                           "move_attention:2.1:9:4:5:zero",
                           "scale_head:2.1:2",
                           "scale_head:2.1:-0.5",
                           "scale_attn:2:2",
                           "zero_bias:q:2",
                           "zero_bias:k:2",
                           "ablate_head:2.1",
                           "ablate_head:2.1:mean"}) {
    CAPTURE(spec);
    CHECK(parse_edit(spec));
  }
  const auto range = parse_edit("mask_previous:0-3:5:after");
  REQUIRE(range);
  CHECK((range->first_layer == 0 && range->last_layer == 3 && range->flag && range->numbers[0] == 5));
  const auto cell = parse_edit("set_score:4.11:9:3:-inf");
  REQUIRE(cell);
  const auto keys = parse_edit("zero_bias:k:2");
  REQUIRE(keys);
  CHECK((keys->first_layer == 2 && keys->index(0) == 1));
  CHECK((cell->first_layer == 4 && cell->head == 11 && std::isinf(cell->numbers[2])));
}

TEST_CASE("what is no edit is refused with its form", "[edits]") {
  for (const char* spec : {"",
                           ":",
                           "group_positions",
                           "group_positions:",
                           "group_positions:0",
                           "group_positions:-1",
                           "group_positions:1.5",
                           "group_positions:5:5",
                           "permute_positions:1:4",
                           "zero_positions:1",
                           "shift_positions",
                           "shift_positions:-1",
                           "shift_positions:1.5",
                           "replace_positions:learned",
                           "replace_positions:sinusoidal:1",
                           "rank_positions:0",
                           "mask_previous:3-0:5",
                           "mask_previous:0-3:0",
                           "mask_previous:0-3:5:before",
                           "set_score:4.11:1:2",
                           "set_score:4:1:2:3",
                           "set_score:4.11:1:2:x",
                           "scale_head:4.11:inf",
                           "scale_head:4.11:nan",
                           "scale_head:4.:2",
                           "ablate_head:4",
                           "zero_bias:v:2",
                           "zero_bias:q|k:2",
                           "zero_bias:2",
                           "ABLATE_HEAD:4.1",
                           "ablate_head:4.1 ",
                           "ablate_head:99999999999.1"}) {
    CAPTURE(spec);
    CHECK(!parse_edit(spec));
  }
  CHECK(parse_edit("scale_head:4.11").error().sentence ==
        "The edit “scale_head:4.11” does not have the form scale_head:layer.head:factor.");
  CHECK(parse_edit("nonsense:1").error().sentence.starts_with("There is no edit “nonsense:1”; there are "));
}

TEST_CASE("the written form of an edit shows what may be left out", "[edits]") {
  std::set<std::string> forms;
  for (const EditForm& form : edit_forms()) forms.insert(written(form));
  for (const char* form :
       {"ablate_head:layer.head[:mean]", "set_score:layer.head:query:key:value", "no_mask",
        "mask_previous:layer[-last]:n[:after]", "permute_positions:seed[:3]", "replace_positions:sinusoidal[:base]"})
    CHECK(forms.count(form) == 1);
}

TEST_CASE("an edit is told in words", "[edits]") {
  CHECK(edit_label("ablate_head:4.11") == "Head 4.11 off");
  CHECK(edit_label("ablate_head:4.11:mean") == "Head 4.11 off, its mean instead");
  CHECK(edit_label("scale_head:4.11:-0.5") == "Head 4.11 × −0.5");
  CHECK(edit_label("set_score:4.11:7:3:-inf") == "Head 4.11: score 7 → 3 is −∞");
  CHECK(edit_label("mask_previous:0-3:5") == "Layer 0–3: previous token hidden, every 5");
  CHECK(edit_label("mask_previous:2:5:after") == "Layer 2: previous token hidden, every 5, after the softmax");
  CHECK(edit_label("move_attention:4.11:7:3:0") == "Head 4.11: query 7 attends to 0 instead of 3");
  CHECK(edit_label("move_attention:4.11:7:3:0:zero") == "Head 4.11: query 7 attends to 0 instead of 3, score 0 left");
  CHECK(edit_label("permute_positions:7") == "Positions shuffled, seed 7");
  CHECK(edit_label("permute_positions:7:3") == "Positions shuffled within threes, seed 7");
  CHECK(edit_label("replace_positions:sinusoidal") == "Sinusoidal positions");
  CHECK(edit_label("replace_positions:sinusoidal:1000") == "Sinusoidal positions, base 1000");
  CHECK(edit_label("zero_bias:k:2") == "Bias of k in layer 2 is 0");
  CHECK(edit_label("zero_positions") == "No positions");
  CHECK(edit_label("nonsense:1") == "nonsense:1");
  CHECK(edit_label("ablate_head:4") == "ablate_head:4");
}

TEST_CASE("an edit is checked against what is known of the model and the prompt", "[edits]") {
  const auto problem = [](const std::string& spec, const EditRoom& room, double shifted = 0) {
    const auto edit = parse_edit(spec);
    REQUIRE(edit);
    const auto fits = check_edit(spec, *edit, room, shifted);
    return fits ? std::string() : fits.error().sentence;
  };
  const EditRoom room{6, 8, 256, 20};
  CHECK(problem("ablate_head:4.11", room) == "The edit “ablate_head:4.11” names head 11, but the last one is 7.");
  CHECK(problem("ablate_head:6.0", room) == "The edit “ablate_head:6.0” names layer 6, but the last one is 5.");
  CHECK(problem("mask_previous:0-6:5", room) == "The edit “mask_previous:0-6:5” names layer 6, but the last one is 5.");
  CHECK(problem("set_score:0.0:20:3:1", room) ==
        "The edit “set_score:0.0:20:3:1” names position 20, but the last token is at 19.");
  CHECK(problem("set_score:0.0:19:3:500", room).empty());  // a score is not a position
  CHECK(problem("replace_position:0:255", room).empty());
  CHECK(problem("replace_position:0:256", room) ==
        "The edit “replace_position:0:256” names row 256, but the last row of positions is 255.");
  CHECK(problem("replace_position:250:0", room, 10) ==
        "The edit “replace_position:250:0” names row 250, but the last row of positions is 245.");
  CHECK(problem("shift_positions:236", room).empty());
  CHECK(problem("shift_positions:237", room) ==
        "The edit “shift_positions:237” puts the last token at position 256, but this model's last position is 255.");
  CHECK(!problem("shift_positions:30", room, 210).empty());
  for (const char* spec : {"ablate_head:4.11", "set_score:0.0:20:3:1", "shift_positions:1000"})
    CHECK(problem(spec, {}).empty());  // without a model nothing is refused
}

TEST_CASE("a head is silenced by switching it off, or by a factor of 0", "[edits]") {
  CHECK(silences_head(*parse_edit("ablate_head:1.2")));
  CHECK(silences_head(*parse_edit("scale_head:1.2:0")));
  CHECK(!silences_head(*parse_edit("ablate_head:1.2:mean")));
  CHECK(!silences_head(*parse_edit("scale_head:1.2:0.5")));
  CHECK(!silences_head(*parse_edit("scale_attn:1:0")));
  CHECK(!silences_head(*parse_edit("group_positions:10")));
}

TEST_CASE("an edit that changes nothing says so", "[edits]") {
  const auto note = [](const std::string& spec, std::size_t n_tokens = 20) {
    return idle_note(spec, *parse_edit(spec), {6, 8, 256, n_tokens});
  };
  CHECK(note("shift_positions:0") == "The edit “shift_positions:0” changes nothing.");
  for (const char* spec : {"scale_head:1.2:1", "scale_attn:1:1", "move_attention:1.2:7:3:3", "group_positions:1",
                           "group_residual:2:1", "mask_previous:1:20"}) {
    CAPTURE(spec);
    CHECK(!note(spec).empty());
  }
  for (const char* spec :
       {"scale_head:1.2:0", "shift_positions:1", "mask_previous:1:19", "no_mask", "ablate_head:0.0"}) {
    CAPTURE(spec);
    CHECK(note(spec).empty());
  }
  CHECK(note("mask_previous:1:20", 0).empty());  // of a prompt that is not known yet
}

TEST_CASE("a position's row follows the edits that move and average rows, in their order", "[edits]") {
  const auto after = [](const std::vector<std::string>& specs, std::size_t position) {
    std::vector<Edit> edits;
    for (const std::string& spec : specs) edits.push_back({spec, true});
    return rows_after(edits, position, 20);
  };
  using Rows = std::vector<std::size_t>;
  CHECK(after({}, 4) == Rows{4});
  CHECK(after({"zero_mlp:1"}, 4) == Rows{4});
  CHECK(after({"shift_positions:3"}, 4) == Rows{7});
  CHECK(after({"replace_position:4:9"}, 4) == Rows{9});
  CHECK(after({"replace_position:4:9"}, 5) == Rows{5});
  CHECK(after({"replace_position:7:9", "shift_positions:3"}, 4) == Rows{9});
  CHECK(after({"shift_positions:3", "replace_position:4:9"}, 4) == Rows{12});
  CHECK(after({"group_positions:3"}, 0) == Rows{0});
  CHECK(after({"group_positions:3"}, 5) == Rows{4, 5, 6});
  CHECK(after({"average_positions:6:4"}, 5) == Rows{4, 5, 6});
  CHECK(after({"average_positions:6:4"}, 7) == Rows{7});
  CHECK(after({"replace_position:5:9", "average_positions:4:6"}, 4) == Rows{4, 9, 6});
  CHECK(rows_after({{"replace_position:4:9", false}}, 4, 20) == Rows{4});
}

TEST_CASE("a hook is read as it is written, and only a patch takes values from the other side", "[edits]") {
  const auto patch = parse_edit("patch:blocks.4.attn.hook_z:9:6");
  REQUIRE(patch);
  CHECK(patch->hook == "blocks.4.attn.hook_z");
  CHECK(patch->numbers == std::vector<double>{9, 6});
  CHECK(from_other(*patch));
  CHECK(!from_other(*parse_edit("freeze_norms")));
  CHECK(edit_label("patch:blocks.4.attn.hook_z:9:6") ==
        "blocks.4.attn.hook_z at position 9 in head 6 from the other side");
  CHECK(!parse_edit("patch"));
  CHECK(!parse_edit("patch:"));
}

}  // namespace edit_forms_test
