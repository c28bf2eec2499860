#include "catena/base/mistake.h"

#include <fmt/format.h>

#include <utility>

namespace catena {

std::string text(const Mistake& mistake) {
  const Place& place = mistake.place;
  if (place.source.empty()) return mistake.message;
  if (place.line == 0) return fmt::format("{}: {}", place.source, mistake.message);
  return fmt::format("{}:{}:{}: {}", place.source, place.line, place.column, mistake.message);
}

InputError::InputError(std::vector<Mistake> mistakes) : mistakes_(std::move(mistakes)) {
  for (const Mistake& mistake : mistakes_) {
    if (!text_.empty()) text_ += '\n';
    text_ += text(mistake);
  }
}

InputError::InputError(Place place, std::string message)
    : InputError(std::vector<Mistake>{{std::move(place), std::move(message)}}) {}

}  // namespace catena
