// The parts of a glTF file while it is put together: JSON and one buffer of bytes. Only for gltf.cpp.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/draw/colour.h"
#include "catena/draw/shapes.h"

namespace catena::draw {

using GltfRow = std::array<double, 4>;  // of the first 1, 3 or 4 numbers

class GltfBuffer {
 public:
  GltfBuffer();

  // Each returns the index of what it added.
  int add_mesh(const Mesh& mesh, int material);
  int add_material(const std::string& name, const Colour& colour, double metallic);
  int add_node(nlohmann::ordered_json node);
  // `kind`: SCALAR, VEC3 or VEC4, as floats, with bounds where `bounded`.
  int add_numbers(const std::vector<GltfRow>& rows, const std::string& kind, bool bounded);

  nlohmann::ordered_json& json() { return json_; }
  std::string bytes() const;  // of the .glb

 private:
  int add_view(const void* data, std::size_t size, int target);
  int add_indices(const std::vector<std::uint32_t>& indices);

  nlohmann::ordered_json json_;
  std::string binary_;
};

}  // namespace catena::draw
