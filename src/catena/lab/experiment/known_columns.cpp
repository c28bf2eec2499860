#include "catena/lab/experiment/known_columns.h"

#include "catena/base/mistake.h"

namespace catena {
namespace {

bool is_known(const World& world, const std::string& word) {
  try {
    const Columns columns(world, {word});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::unique_ptr<Columns> known_columns(const World& world, const std::vector<std::string>& words) {
  std::vector<std::string> known;
  for (const std::string& word : words) {
    if (is_known(world, word)) known.push_back(word);
  }
  if (known.empty()) known.push_back("t");
  return std::make_unique<Columns>(world, known);
}

}  // namespace catena
