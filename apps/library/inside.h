// What the library is made of, and the names that its public header has too. Private headers come first: in
// them, and only until the public header follows, Scene means the scene of src/catena/model.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/io/record/record.h"
#include "catena/io/scene/scene.h"
#include "catena/lab/run.h"
#include "scenes.h"
#include "settings.h"

namespace catena::engine {

using Scene = ::catena::Scene;
using Outcome = ::catena::Outcome;
using EventTable = ::catena::EventTable;
inline std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const ShippedScene& one : ::catena::shipped_scenes()) names.emplace_back(one.name);
  return names;
}

}  // namespace catena::engine

#include "catena/catena.h"

namespace catena {

// Mistakes in the library's own words.
v0::Error as_error(const InputError& error);

// Calls `work`; mistakes in what was given come out as Error.
template <class Work>
auto with_errors(const Work& work) {
  try {
    return work();
  } catch (const InputError& error) {
    throw as_error(error);
  }
}

struct v0::Scene::Inside {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  std::string name = "scene";
  std::vector<std::string> overrides;
  std::shared_ptr<const StepFunction> function;

  // As everything that simulates takes it. Throws InputError.
  engine::Scene read() const;
};

}  // namespace catena
