#include "catena/draw/gltf/gltf_buffer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace catena::draw {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFloat = 5126, kUnsigned = 5125;              // component types
constexpr int kVertexTarget = 34962, kIndexTarget = 34963;  // of buffer views
constexpr double kSmoothCosine = 0.8;  // faces that meet at less than 37 degrees look round

Vec3 normal_of(const Mesh& mesh, const std::vector<int>& face) {
  Vec3 sum{};  // L. Newell: right for flat faces of any number of corners
  for (std::size_t i = 0; i < face.size(); ++i) {
    const Vec3& a = mesh.corners[static_cast<std::size_t>(face[i])];
    const Vec3& b = mesh.corners[static_cast<std::size_t>(face[(i + 1) % face.size()])];
    sum[0] += (a[1] - b[1]) * (a[2] + b[2]);
    sum[1] += (a[2] - b[2]) * (a[0] + b[0]);
    sum[2] += (a[0] - b[0]) * (a[1] + b[1]);
  }
  return sum;  // its length is twice the area, so that sums weigh faces by their size
}

Vec3 unit(const Vec3& v) {
  const double size = length(v);
  return size > 0.0 ? Vec3{v[0] / size, v[1] / size, v[2] / size} : Vec3{0, 0, 1};
}

struct Surface {
  std::vector<GltfRow> points, normals;
  std::vector<std::uint32_t> indices;
};

// Triangles with normals: corners are shared where the surface looks round, and doubled at edges.
Surface surface_of(const Mesh& mesh) {
  Surface out;
  std::vector<Vec3> normals;
  std::vector<std::vector<std::size_t>> faces_at(mesh.corners.size());
  // Corners at one place are one, whatever their number: round shapes close onto themselves, tips are rings.
  std::map<Vec3, std::size_t> places;
  const auto place = [&](int corner) {
    return places.try_emplace(mesh.corners[static_cast<std::size_t>(corner)], places.size()).first->second;
  };
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    normals.push_back(normal_of(mesh, mesh.faces[f]));
    for (const int corner : mesh.faces[f]) faces_at[place(corner)].push_back(f);
  }
  std::map<std::pair<Vec3, Vec3>, std::uint32_t> known;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    std::vector<std::uint32_t> corners;
    for (const int corner : mesh.faces[f]) {
      Vec3 normal{};
      for (const std::size_t other : faces_at[place(corner)]) {
        if (dot(unit(normals[f]), unit(normals[other])) < kSmoothCosine) continue;
        for (std::size_t i = 0; i < 3; ++i) normal[i] += normals[other][i];
      }
      normal = unit(normal);
      const Vec3& point = mesh.corners[static_cast<std::size_t>(corner)];
      const auto [at, is_new] =
          known.try_emplace({point, normal}, static_cast<std::uint32_t>(out.points.size()));
      if (is_new) {
        out.points.push_back({point[0], point[1], point[2], 0.0});
        out.normals.push_back({normal[0], normal[1], normal[2], 0.0});
      }
      corners.push_back(at->second);
    }
    for (std::size_t k = 2; k < corners.size(); ++k) {
      out.indices.insert(out.indices.end(), {corners[0], corners[k - 1], corners[k]});
    }
  }
  return out;
}

double linear(double srgb) { return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4); }

void append_u32(std::string& out, std::size_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 255u);
}

void append_chunk(std::string& out, const char* kind, std::string bytes, char padding) {
  while (bytes.size() % 4 != 0) bytes += padding;
  append_u32(out, bytes.size());
  out.append(kind, 4);
  out += bytes;
}

}  // namespace

GltfBuffer::GltfBuffer() : json_({{"asset", {{"version", "2.0"}, {"generator", "catena"}}}}) {
  for (const char* part : {"scenes", "nodes", "meshes", "materials", "accessors", "bufferViews"}) {
    json_[part] = Json::array();
  }
}

int GltfBuffer::add_view(const void* data, std::size_t size, int target) {
  while (binary_.size() % 4 != 0) binary_ += '\0';
  Json view = {{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", size}};
  if (target != 0) view["target"] = target;
  binary_.append(static_cast<const char*>(data), size);
  json_["bufferViews"].push_back(std::move(view));
  return static_cast<int>(json_["bufferViews"].size()) - 1;
}

int GltfBuffer::add_numbers(const std::vector<GltfRow>& rows, const std::string& kind, bool bounded) {
  const std::size_t width = kind == "SCALAR" ? 1 : kind == "VEC3" ? 3 : 4;
  std::vector<float> floats;
  floats.reserve(rows.size() * width);
  for (const GltfRow& row : rows) {
    for (std::size_t i = 0; i < width; ++i) floats.push_back(static_cast<float>(row[i]));
  }
  const bool corners = bounded && kind != "SCALAR";
  Json accessor = {
      {"bufferView", add_view(floats.data(), floats.size() * sizeof(float), corners ? kVertexTarget : 0)},
      {"componentType", kFloat},
      {"count", rows.size()},
      {"type", kind}};
  for (std::size_t i = 0; bounded && i < width; ++i) {
    float low = floats[i], high = floats[i];
    for (std::size_t k = i; k < floats.size(); k += width) {
      low = std::min(low, floats[k]);
      high = std::max(high, floats[k]);
    }
    accessor["min"].push_back(low);
    accessor["max"].push_back(high);
  }
  json_["accessors"].push_back(std::move(accessor));
  return static_cast<int>(json_["accessors"].size()) - 1;
}

int GltfBuffer::add_indices(const std::vector<std::uint32_t>& indices) {
  const int view = add_view(indices.data(), indices.size() * sizeof(std::uint32_t), kIndexTarget);
  json_["accessors"].push_back(
      {{"bufferView", view}, {"componentType", kUnsigned}, {"count", indices.size()}, {"type", "SCALAR"}});
  return static_cast<int>(json_["accessors"].size()) - 1;
}

int GltfBuffer::add_mesh(const Mesh& mesh, int material) {
  const Surface surface = surface_of(mesh);
  const int points = add_numbers(surface.points, "VEC3", true);
  const int normals = add_numbers(surface.normals, "VEC3", true);
  const int indices = add_indices(surface.indices);
  json_["meshes"].push_back(
      {{"primitives", Json::array({{{"attributes", {{"POSITION", points}, {"NORMAL", normals}}},
                                    {"indices", indices},
                                    {"material", material}}})}});
  return static_cast<int>(json_["meshes"].size()) - 1;
}

int GltfBuffer::add_material(const std::string& name, const Colour& colour, double metallic) {
  json_["materials"].push_back(
      {{"name", name},
       {"pbrMetallicRoughness",
        {{"baseColorFactor", {linear(colour.r), linear(colour.g), linear(colour.b), colour.a}},
         {"metallicFactor", metallic},
         {"roughnessFactor", 0.5}}}});
  return static_cast<int>(json_["materials"].size()) - 1;
}

int GltfBuffer::add_node(Json node) {
  json_["nodes"].push_back(std::move(node));
  return static_cast<int>(json_["nodes"].size()) - 1;
}

std::string GltfBuffer::bytes() const {
  Json json = json_;
  json["buffers"] = Json::array({{{"byteLength", binary_.size()}}});
  std::string body;
  append_chunk(body, "JSON", json.dump(), ' ');
  append_chunk(body, "BIN\0", binary_, '\0');
  std::string out = "glTF";
  append_u32(out, 2);
  append_u32(out, 12 + body.size());
  return out + body;
}

}  // namespace catena::draw
