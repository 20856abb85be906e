// No output takes the place of what the command reads.
#include <filesystem>

#include "tests/cli/tiny_folder.h"

namespace outputs_test {

using namespace helix::cli::testing;
using helix::cli::Outcome;
using helix::cli::run;
namespace fs = std::filesystem;

TEST_CASE("an output that would overwrite the model is refused, by any name of the file", "[cli][outputs]") {
  const TinyFolder folder;
  const std::string weights = folder.read("model.safetensors"), words = folder.read("vocab.json");
  fs::create_symlink(folder.at("model.safetensors"), folder.at("link.npz"));
  fs::create_hard_link(folder.at("vocab.json"), folder.at("same.svg"));
  const auto refused = [&](std::vector<std::string> arguments) {
    const Outcome done = run(arguments);
    INFO(done.err);
    CHECK(done.status == 1);
    CHECK(done.err.find("would overwrite a file that this command reads") != std::string::npos);
    CHECK(folder.read("model.safetensors") == weights);
    CHECK(folder.read("vocab.json") == words);
  };
  const std::vector<std::string> runs{"run", "predictions", "--prompt", "the", "--model"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = runs;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  refused(with({folder.path(), "--npz", folder.at("model.safetensors")}));
  refused(with({folder.path(), "--npz", folder.at("link.npz")}));
  refused(with({folder.at("model.safetensors"), "--svg",
                folder.path() + "/../" + fs::path(folder.path()).filename().string() + "/model.safetensors"}));
  refused(with({folder.path(), "--svg", folder.at("same.svg")}));
  refused(with({"control:walk:3@" + folder.path(), "--svg", folder.at("vocab.json")}));
  refused({"logits", "--model", folder.path(), "--prompt", "the", "--npy", folder.at("vocab.json")});
  refused({"claims", "--model", folder.path(), "--csv", folder.at("model.safetensors")});
  CHECK(run(with({folder.path(), "--npz", folder.at("out.npz")})).status == 0);
  CHECK(run(with({folder.path(), "--npz", folder.at("out.npz")})).status == 0);  // its own, from before
}

}  // namespace outputs_test
