// Requests as text, and answers: the one way in which mistakes reach the page.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/base/mistake.h"

namespace catena::web {

// What `perform` makes of a request; what is wrong with it, as {"mistakes": [..]}.
template <class Perform>
std::string answered(const std::string& request, const Perform& perform) {
  using Json = nlohmann::ordered_json;
  Json out;
  try {
    out = perform(Json::parse(request));
  } catch (const InputError& error) {
    Json list = Json::array();
    for (const Mistake& mistake : error.mistakes()) list.push_back(text(mistake));
    out = {{"mistakes", list}};
  } catch (const std::exception& error) {
    out = {{"mistakes", {std::string("inside the engine: ") + error.what()}}};
  }
  return out.dump();
}

}  // namespace catena::web
