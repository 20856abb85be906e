#include "studies/head_logits/names.h"

#include <array>
#include <utility>

namespace helix::studies::head_logits {
namespace {

constexpr std::size_t kPairs = 16;  // each in both orders

constexpr const char* kPeople[] = {"Mary", "John",  "Alice",  "Tom",  "Jane",   "James",
                                   "Anna", "Peter", "Robert", "Paul", "George", "Henry"};
constexpr const char* kPlaces[] = {"garden", "market", "school", "station", "church", "river", "shop", "hotel"};
constexpr const char* kThings[] = {"book", "letter", "flower", "ring", "cup", "picture", "key", "hat"};

std::string sentence(std::size_t kind, const std::string& first, const std::string& second, const std::string& giver,
                     const std::string& place, const std::string& thing) {
  switch (kind) {
    case 0:
      return "When " + first + " and " + second + " went to the " + place + ", " + giver + " gave a " + thing + " to";
    case 1:
      return "After " + first + " and " + second + " had met at the " + place + ", " + giver + " handed a " + thing +
             " to";
    case 2:
      return "While " + first + " and " + second + " were walking to the " + place + ", " + giver + " showed a " +
             thing + " to";
    default:
      return "In the morning " + first + " and " + second + " were at the " + place + ", and " + giver + " offered a " +
             thing + " to";
  }
}

struct Person {
  std::string name;
  std::int32_t id = 0;
};

}  // namespace

Expected<std::vector<NamePrompt>> name_prompts(const tokenizer::Tokenizer& tokenizer) {
  std::vector<Person> people;
  for (const char* name : kPeople)
    if (const auto ids = tokenizer.encode(std::string(" ") + name); ids.size() == 1)
      people.push_back({name, static_cast<std::int32_t>(ids.front())});
  const std::size_t n = people.size();
  if (n < 2)
    return Error{"These prompts need two first names that are one token each, and this model's vocabulary has " +
                 std::string(n == 0 ? "none" : "only one") + " of ours."};
  std::vector<NamePrompt> all;
  for (std::size_t k = 0; k < kPairs; ++k) {
    const std::size_t a = k % n, b = (a + 1 + k / n % (n - 1)) % n;
    const Person &right = people[a], &giver = people[b];
    const std::string place = kPlaces[k % std::size(kPlaces)], thing = kThings[(3 * k + k / 8) % std::size(kThings)];
    for (const auto& [first, second] : {std::pair(&right, &giver), std::pair(&giver, &right)})
      all.push_back({sentence(k % 4, first->name, second->name, giver.name, place, thing), right.id, giver.id});
  }
  return all;
}

}  // namespace helix::studies::head_logits
