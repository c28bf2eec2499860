// [[bodies]]: shapes become masses and inertias.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>

#include "catena/base/words.h"
#include "catena/io/scene_mesh.h"
#include "catena/io/scene_parts.h"
#include "catena/model/placement.h"
#include "catena/model/shapes.h"

namespace catena {
namespace {

// A rod without a thickness has this part of its length; it counts for turning about itself only.
constexpr double kRodThickness = 0.02;

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const Spot& spot_of(const Node& table, std::string_view key) {
  const Node* value = table.find(key);
  return value != nullptr ? value->spot : table.spot;
}

// Where a file named in a scene is: beside the scene.
std::string beside(const Node& node, const std::string& file) {
  const std::string source = place_of(node.spot).source;
  const std::size_t slash = source.rfind('/');
  return file.empty() || file[0] == '/' || slash == std::string::npos ? file
                                                                      : source.substr(0, slash + 1) + file;
}

class ShapeReader {
 public:
  ShapeReader(const Node& node, const std::string& owner, Mistakes& mistakes)
      : node_(node), owner_(owner), mistakes_(mistakes) {}

  // Extents along x, y, z; none after a complaint.
  std::optional<Vec3> size(const ShapeEntry& entry) const {
    const bool round = is_one_of(entry.shape, {"sphere", "cylinder", "capsule", "cone"});
    const bool long_one = is_one_of(entry.shape, {"rod", "cylinder", "capsule", "cone"});
    if (entry.radius && !round && entry.shape != "rod")
      return complain("radius", "is for round shapes; give size");
    if (entry.length && !long_one)
      return complain("length", "is for rod, cylinder, capsule and cone; give size");
    if (!entry.size.empty()) {
      if (entry.radius || entry.length)
        return complain("size", "says the same as radius and length; give one");
      if (entry.size.size() != 3) return complain("size", "must be three numbers: extents along x, y and z");
      return checked(entry.shape, {entry.size[0], entry.size[1], entry.size[2]});
    }
    if (entry.shape == "rod") {
      if (!entry.length) return complain("length", "is missing; a rod needs it, a number in m");
      const double thick = entry.radius ? 2 * *entry.radius : kRodThickness * *entry.length;
      return Vec3{*entry.length, thick, thick};
    }
    if (!round) return complain("size", "is missing; it must be three numbers in m");
    if (!entry.radius) return complain("radius", "is missing; it must be a number in m (or give size)");
    const double across = 2 * *entry.radius;
    if (entry.shape == "sphere") return Vec3{across, across, across};
    if (!entry.length) return complain("length", "is missing; it must be a number in m (or give size)");
    return checked(entry.shape, {across, across, *entry.length});
  }

  // Mass properties at unit density of one shape that is no compound.
  std::optional<MassProperties> solid_of(const ShapeEntry& entry, Vec3& extents) const {
    if (entry.shape != "mesh") {
      const auto measured = size(entry);
      if (!measured) return std::nullopt;
      extents = *measured;
      return solid(entry.shape, extents);
    }
    if (entry.file.empty())
      return complain("file", "is missing; a mesh needs an .obj or .stl file"), std::nullopt;
    try {
      Mesh mesh = read_mesh(beside(node_, entry.file));
      for (Vec3& point : mesh.points) {
        for (double& c : point) c *= entry.scale;
      }
      if (const std::string why = mesh_complaint(mesh); !why.empty()) {
        return complain("file", fmt::format("{} is no solid: {}", in_quotes(entry.file), why)), std::nullopt;
      }
      return solid(mesh);
    } catch (const std::runtime_error& error) {
      return complain("file", fmt::format("{}: {}", in_quotes(entry.file), error.what())), std::nullopt;
    }
  }

  // With its mass, or none after a complaint. `needed`: it must have one.
  std::optional<MassProperties> weighed(const MassProperties& unit, const ShapeEntry& entry,
                                        bool needed) const {
    if (entry.mass && entry.density)
      return complain("density", "says the same as mass; give one"), std::nullopt;
    if (entry.density) return with_mass(unit, *entry.density * unit.mass);
    if (entry.mass) return with_mass(unit, *entry.mass);
    if (needed) return complain("mass", "is missing; give mass in kg or density in kg/m^3"), std::nullopt;
    return unit;
  }

  std::optional<Vec3> complain(const char* key, const std::string& what) const {
    mistakes_.add(spot_of(node_, key), fmt::format("{}: {} {}", owner_, key, what));
    return std::nullopt;
  }

 private:
  std::optional<Vec3> checked(const std::string& shape, const Vec3& s) const {
    if (is_one_of(shape, {"sphere"}) && (s[0] != s[1] || s[1] != s[2])) {
      return complain("size", "of a sphere must be three equal numbers; for others take an ellipsoid");
    }
    if (is_one_of(shape, {"cylinder", "capsule", "cone"}) && s[0] != s[1]) {
      return complain("size", "must be as large along x as along y");
    }
    if (shape == "capsule" && s[2] < s[0]) {
      return complain("length", "of a capsule counts its round ends: it must be at least twice the radius");
    }
    return s;
  }

  const Node& node_;
  const std::string& owner_;
  Mistakes& mistakes_;
};

std::optional<MassProperties> read_parts(const Node& node, const std::string& owner, Mistakes& mistakes) {
  const Node* parts = node.find("parts");
  if (parts == nullptr || parts->list() == nullptr || parts->list()->empty()) {
    mistakes.add(spot_of(node, "parts"),
                 owner + ": parts is missing; a compound body needs a list of shapes");
    return std::nullopt;
  }
  std::vector<MassProperties> found;
  for (const Node& part : *parts->list()) {
    const std::string name = fmt::format("{}, part {}", owner, found.size() + 1);
    PartEntry entry;
    const std::size_t before = mistakes.count();
    read_fields(part, name, part_fields(), {}, entry, mistakes);
    found.emplace_back();
    if (mistakes.count() > before) continue;
    if (is_one_of(entry.shape, {"compound", "point"})) {
      mistakes.add(spot_of(part, "shape"), fmt::format("{}: a part cannot be a {}", name, entry.shape));
      continue;
    }
    const ShapeReader reader(part, name, mistakes);
    Vec3 extents{};
    const auto unit = reader.solid_of(entry, extents);
    if (!unit) continue;
    const auto heavy = reader.weighed(*unit, entry, true);
    if (heavy) found.back() = placed(*heavy, entry.orientation.quaternion, entry.position);
  }
  const bool sound =
      std::all_of(found.begin(), found.end(), [](const MassProperties& p) { return p.mass > 0.0; });
  return sound ? std::optional(together(found)) : std::nullopt;
}

// A body's own mass and inertia, or what its shape gives.
void weigh(const Node& node, const std::string& owner, const BodyEntry& entry, Body& body,
           Mistakes& mistakes) {
  const ShapeReader reader(node, owner, mistakes);
  const auto complain = [&](const char* key, const std::string& what) { reader.complain(key, what); };
  body.point = entry.shape == "point";
  if (body.point || entry.inertia) {
    if (body.point && entry.inertia) complain("inertia", "does not go with shape = \"point\"");
    if (entry.density) complain("density", "needs a shape with a volume; give mass");
    if (!entry.mass && !body.fixed) complain("mass", "is missing; it must be a number in kg");
    body.mass = entry.mass.value_or(1.0);
    if (entry.inertia) body.inertia = entry.inertia->matrix;
    if (!entry.size.empty() || entry.radius || entry.length) {
      if (const auto extents = reader.size(entry)) body.size = *extents;
    }
  } else if (entry.shape == "compound") {
    if (entry.mass || entry.density)
      complain(entry.mass ? "mass" : "density", "belongs to the parts of a compound");
    const auto all = read_parts(node, owner, mistakes);
    if (all) body.mass = all->mass, body.inertia = all->inertia;
    return;
  } else {
    const auto unit = reader.solid_of(entry, body.size);
    const auto heavy = unit ? reader.weighed(*unit, entry, !body.fixed) : std::nullopt;
    if (!heavy) return;
    body.volume = unit->mass;  // at unit density
    body.mass = heavy->mass;
    body.inertia = heavy->inertia;
  }
  if (body.fixed || body.point) return;
  if (const std::string why = inertia_complaint(body.inertia); !why.empty()) complain("inertia", why);
}

// Massless bodies, and bodies that nothing keeps from turning freely about an axis.
void check_determined(const Node& node, const std::string& owner, const Body& body, Mistakes& mistakes) {
  if (body.fixed) return;
  if (!(body.mass > 0.0)) {
    mistakes.add(spot_of(node, "mass"),
                 fmt::format("{}: mass must be positive, got {}", owner, number_text(body.mass)));
    return;
  }
  if (body.point) return;
  const Matrix3& m = body.inertia;
  const double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                             m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  const double largest = std::max({m[0][0], m[1][1], m[2][2]});
  if (determinant > 1e-30 * largest * largest * largest && largest > 0.0) return;
  mistakes.add(spot_of(node, "inertia"),
               owner +
                   ": inertia must be positive about every axis: with none about one of them its turning is "
                   "undetermined; give it a thickness, or take shape = \"point\"");
}

Body read_body(const Node& node, const std::string& owner, std::set<std::string>& names, Mistakes& mistakes) {
  Body body;
  BodyEntry entry;
  const std::size_t before = mistakes.count();
  read_fields(node, owner, body_fields(), {"parts"}, entry, mistakes);
  body.place = place_of(node.spot);
  body.name = entry.name;
  if (const Node* name = node.find("name"); name != nullptr && name->text() != nullptr) {
    check_new_name(*name, owner, "bodies", names, mistakes);
  }
  if (mistakes.count() > before) return body;
  body.fixed = entry.fixed;
  body.shape = entry.shape;
  body.position = entry.position;
  body.orientation = entry.orientation.quaternion;
  body.velocity = entry.velocity;
  body.angular_velocity = entry.angular_velocity;
  if (node.find("parts") != nullptr && entry.shape != "compound") {
    mistakes.add(spot_of(node, "parts"), owner + ": parts is for shape = \"compound\"");
  }
  weigh(node, owner, entry, body, mistakes);
  body.charge = entry.charge;
  body.moment = entry.moment;
  body.susceptibility = entry.susceptibility;
  body.volume = entry.volume.value_or(body.volume);
  body.drag_area = entry.drag_area;
  if (mistakes.count() == before) check_determined(node, owner, body, mistakes);
  return body;
}

}  // namespace

void check_new_name(const Node& node, const std::string& owner, const std::string& what,
                    std::set<std::string>& names, Mistakes& mistakes) {
  const std::string& name = *node.text();
  if (!is_name(name)) {
    mistakes.add(node.spot,
                 fmt::format("{}: name {} must begin with a letter and have only letters, digits, _ and -",
                             owner, in_quotes(name)));
  } else if (name == "total" || name == "ground") {
    mistakes.add(node.spot, fmt::format("{}: the name '{}' is taken; choose another", owner, name));
  } else if (!names.insert(name).second) {
    mistakes.add(node.spot, fmt::format("{}: the name {} is given to two {}", owner, in_quotes(name), what));
  }
}

std::vector<Body> read_bodies(const Node& scene, Mistakes& mistakes) {
  std::vector<Body> bodies;
  const Node* list = scene.find("bodies");
  if (list == nullptr) return bodies;
  if (list->list() == nullptr) {
    mistakes.add(list->spot,
                 fmt::format("bodies must be a list of tables, got {}; write [[bodies]] with double "
                             "brackets",
                             described(*list)));
    return bodies;
  }
  std::set<std::string> names;
  for (const Node& node : *list->list()) {
    if (mistakes.full()) break;
    const Node* name = node.find("name");
    const bool named = name != nullptr && name->text() != nullptr && is_name(*name->text());
    const std::string owner =
        named ? fmt::format("body '{}'", *name->text()) : fmt::format("body {}", bodies.size() + 1);
    bodies.push_back(read_body(node, owner, names, mistakes));
  }
  return bodies;
}

}  // namespace catena
