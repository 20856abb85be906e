#include "base/schema.h"
#include "base/words.h"

namespace helix {
namespace {

/// The texts of one study, and of what it shares with others.
class Texts {
 public:
  explicit Texts(const std::string& study) : own_(study) {}

  std::string operator()(const std::string& id) const {
    for (const Words& words : {own_, shared_})
      if (const std::string* found = words.find(id)) return *found;
    return "";
  }
  std::string either(const std::string& id, const std::string& other) const {
    const std::string text = (*this)(id);
    return text.empty() ? (*this)(other) : text;
  }

 private:
  Words own_, shared_{"studies"};
};

void label(std::vector<Preset>& presets, const std::string& kind, const Texts& texts) {
  for (Preset& p : presets) p.label = texts(kind + p.id), p.note = texts(kind + p.id + ".note");
}

}  // namespace

void add_words(StudySchema& schema) {
  const Texts texts(schema.id);
  schema.title = texts("title"), schema.question = texts("question"), schema.source = texts("source");
  schema.no_difference = texts("no_difference"), schema.without_model.note = texts("without_model");
  for (ParamSpec& p : schema.params) {
    p.label = texts("setting." + p.key), p.help = texts("setting." + p.key + ".help");
    for (Choice& c : p.choices) c.label = texts.either("choice." + p.key + "." + c.id, "choice." + c.id);
  }
  for (OutputSpec& o : schema.outputs) o.label = texts("number." + o.name);
  label(schema.presets, "view.", texts);
  label(schema.leads, "next.", texts);
  for (ClaimSpec& c : schema.claims) c.text = texts("claim." + c.id);
}

}  // namespace helix
