#include "base/store.h"

#include <memory>
#include <string>

#include "tests/support.h"

namespace store_test {

using namespace helix;

namespace {

using Numbers = std::vector<double>;

std::shared_ptr<const Numbers> numbers(std::size_t count, double value = 0) {
  return std::make_shared<const Numbers>(count, value);
}

/// What is made of one number: counted, so that a second making is noticed.
Task<Expected<Numbers>> make(int* made, double value) {
  ++*made;
  co_await pause_point();
  if (value < 0) co_return Error{"There are no such numbers."};
  co_return Numbers(10, value);
}

}  // namespace

TEST_CASE("a store keeps values by key, type and owner", "[base][store]") {
  Store store;
  const auto file = std::make_shared<const int>(1), other = std::make_shared<const int>(1);
  store.keep<Numbers>(file, "wpe", numbers(4, 1));
  store.keep<std::string>(file, "wpe", std::make_shared<const std::string>("hash"));
  REQUIRE(store.find<Numbers>(file, "wpe"));
  CHECK(store.find<Numbers>(file, "wpe")->front() == 1);
  CHECK(*store.find<std::string>(file, "wpe") == "hash");
  CHECK(!store.find<Numbers>(other, "wpe"));
  CHECK(!store.find<Numbers>(file, "wte"));
  store.keep<Numbers>(file, "wpe", numbers(4, 2));
  CHECK(store.find<Numbers>(file, "wpe")->front() == 2);
  CHECK(store.size() == 2);
}

TEST_CASE("what was not used for longest goes when the budget is spent", "[base][store]") {
  Store store(3 * (100 * sizeof(double) + 300));
  const Store::Owner none;
  for (const char* key : {"a", "b", "c"}) store.keep<Numbers>(none, key, numbers(100));
  REQUIRE(store.find<Numbers>(none, "a"));  // used: b is now the oldest
  store.keep<Numbers>(none, "d", numbers(100));
  CHECK(!store.find<Numbers>(none, "b"));
  for (const char* key : {"a", "c", "d"}) CHECK(store.find<Numbers>(none, key));
  store.keep<Numbers>(none, "huge", numbers(100'000));
  CHECK(!store.find<Numbers>(none, "huge"));
  CHECK(store.size() == 3);
}

TEST_CASE("what belongs to a closed model is forgotten", "[base][store]") {
  Store store;
  auto file = std::make_shared<const int>(1);
  const auto other = std::make_shared<const int>(2);
  store.keep<Numbers>(file, "a", numbers(5));
  store.keep<Numbers>(other, "a", numbers(5));
  store.forget(file.get());
  CHECK(!store.find<Numbers>(file, "a"));
  CHECK(store.find<Numbers>(other, "a"));
  store.keep<Numbers>(file, "a", numbers(5));
  file.reset();
  store.keep<Numbers>(other, "b", numbers(5));  // notices that one owner is gone
  CHECK(store.size() == 2);
  store.forget(other.get());
  CHECK(store.bytes() == 0);
}

TEST_CASE("a value is made once; an error is not kept", "[base][store]") {
  const auto store = std::make_shared<Store>();
  int made = 0;
  const auto ask = [&](double value) {
    return run_to_end(Store::cached<Numbers>(store, nullptr, "n", [&] { return make(&made, value); }));
  };
  CHECK(!ask(-1));
  const auto first = ask(3), again = ask(4);
  REQUIRE(first);
  REQUIRE(again);
  CHECK(first->get() == again->get());
  CHECK(made == 2);
}

}  // namespace store_test
