// One scene with other numbers in places named by paths, again and again: nothing is read as text twice.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/model/scene.h"

namespace catena {

class SceneVariants {
 public:
  // Each entry of `keys` names numbers that get the same value, by one path or several. A path that ends at a
  // list of three numbers stands for a direction and takes three values. Throws InputError with all mistakes.
  SceneVariants(const Scene& scene, const std::vector<std::vector<std::string>>& keys);
  SceneVariants(const SceneVariants& other);  // for another thread
  SceneVariants& operator=(const SceneVariants&) = delete;
  ~SceneVariants();

  // How many values it takes: one for each entry of `keys`, or three.
  std::size_t width() const;
  // Whether these are numbers of the start alone: what moves, and why, is the same in all variants.
  bool starts_only() const;

  // The scene with these numbers, without its json; valid until the next call. Throws InputError where they
  // make no sense.
  const Scene& with(const double* values);
  // The same with its json, for whoever goes on changing it.
  Scene complete(const double* values) const;

 private:
  struct Form;
  std::unique_ptr<Form> form_;
};

}  // namespace catena
