#include "catena/io/scene/mesh.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "catena/base/words.h"

namespace catena {
namespace {

// Corners by their coordinates: STL names each point as often as triangles meet there.
class Corners {
 public:
  explicit Corners(Mesh& mesh) : mesh_(mesh) {}

  std::size_t index(const Vec3& point) {
    const auto [at, is_new] = known_.try_emplace(point, mesh_.points.size());
    if (is_new) mesh_.points.push_back(point);
    return at->second;
  }

  void add(const std::array<Vec3, 3>& triangle) {
    const std::array<std::size_t, 3> t{index(triangle[0]), index(triangle[1]), index(triangle[2])};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh_.triangles.push_back(t);
  }

 private:
  Mesh& mesh_;
  std::map<Vec3, std::size_t> known_;
};

[[noreturn]] void fail(std::size_t line, const std::string& what) {
  throw std::runtime_error(fmt::format("line {}: {}", line, what));
}

double number_in(std::string_view& rest, std::size_t line) {
  rest = trimmed(rest);
  const auto number = leading_number(rest);
  if (!number) fail(line, "a number is missing");
  rest = number->rest;
  return number->value;
}

Vec3 vector_in(std::string_view rest, std::size_t line) {
  Vec3 out{};
  for (double& component : out) component = number_in(rest, line);
  return out;
}

bool begins_with_word(std::string_view row, std::string_view word) {
  return row.size() > word.size() && row.substr(0, word.size()) == word &&
         (row[word.size()] == ' ' || row[word.size()] == '\t');
}

// Faces of any number of corners, as fans; "7/1/3" is corner 7, "-1" the last one.
Mesh from_obj(const std::string& text) {
  Mesh mesh;
  Corners corners(mesh);
  std::vector<Vec3> points;
  std::istringstream in(text);
  std::string row;
  for (std::size_t line = 1; std::getline(in, row); ++line) {
    const std::string_view rest = trimmed(row);
    if (begins_with_word(rest, "v")) points.push_back(vector_in(rest.substr(1), line));
    if (!begins_with_word(rest, "f")) continue;
    std::istringstream words{std::string(rest.substr(1))};
    std::vector<Vec3> face;
    for (std::string word; words >> word;) {
      std::string_view number = word;
      const double index = number_in(number, line);
      const double at = index < 0 ? static_cast<double>(points.size()) + index : index - 1;
      if (!(at >= 0.0) || at >= static_cast<double>(points.size()))
        fail(line, "a face names a corner that is not there");
      face.push_back(points[static_cast<std::size_t>(at)]);
    }
    for (std::size_t k = 2; k < face.size(); ++k) corners.add({face[0], face[k - 1], face[k]});
  }
  return mesh;
}

Mesh from_stl_text(const std::string& text) {
  Mesh mesh;
  Corners corners(mesh);
  std::vector<Vec3> face;
  std::istringstream in(text);
  std::string row;
  for (std::size_t line = 1; std::getline(in, row); ++line) {
    const std::string_view rest = trimmed(row);
    if (!begins_with_word(rest, "vertex")) continue;
    face.push_back(vector_in(rest.substr(6), line));
    if (face.size() < 3) continue;
    corners.add({face[0], face[1], face[2]});
    face.clear();
  }
  return mesh;
}

// 80 bytes, a count, then 50 bytes for each triangle: normal, three corners, two more bytes.
constexpr std::size_t kStlHead = 84, kStlTriangle = 50;

std::size_t stl_count(const std::string& bytes) {
  std::uint32_t count = 0;
  if (bytes.size() >= kStlHead) std::memcpy(&count, bytes.data() + 80, 4);
  return count;
}

Mesh from_stl_bytes(const std::string& bytes) {
  Mesh mesh;
  Corners corners(mesh);
  for (std::size_t i = 0; i < stl_count(bytes); ++i) {
    float numbers[9];
    std::memcpy(numbers, bytes.data() + kStlHead + i * kStlTriangle + 12, sizeof numbers);
    std::array<Vec3, 3> triangle;
    for (std::size_t k = 0; k < 9; ++k) triangle[k / 3][k % 3] = static_cast<double>(numbers[k]);
    corners.add(triangle);
  }
  return mesh;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && std::string_view(text).substr(text.size() - end.size()) == end;
}

}  // namespace

Mesh read_mesh(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    throw std::runtime_error("is a folder; name an .obj or .stl file in it");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot be opened");
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (ends_with(path, ".obj") || ends_with(path, ".OBJ")) return from_obj(bytes);
  if (!ends_with(path, ".stl") && !ends_with(path, ".STL"))
    throw std::runtime_error("must end in .obj or .stl");
  const std::size_t whole = kStlHead + kStlTriangle * stl_count(bytes);
  if (bytes.size() >= kStlHead && bytes.size() == whole) return from_stl_bytes(bytes);
  if (trimmed(bytes).substr(0, 5) == "solid") return from_stl_text(bytes);
  if (bytes.size() < kStlHead)
    throw std::runtime_error("is no STL: it neither begins with \"solid\" nor has 84 bytes");
  if (bytes.size() < whole) {
    throw std::runtime_error(fmt::format("is cut short: it has {} bytes, and its {} triangles need {}",
                                         bytes.size(), stl_count(bytes), whole));
  }
  return from_stl_bytes(bytes);
}

}  // namespace catena
