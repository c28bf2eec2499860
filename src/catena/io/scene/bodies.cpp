// [[bodies]]: shapes become masses and inertias.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>

#include "catena/base/words.h"
#include "catena/io/scene/mesh.h"
#include "catena/io/scene/parts.h"
#include "catena/math/decimal.h"
#include "catena/model/placement.h"
#include "catena/model/placement_digits.h"
#include "catena/model/shapes.h"

namespace catena {
namespace {

// A rod without a thickness has this part of its length; it counts for turning about itself only.
constexpr double kRodThickness = 0.02;

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Mass properties in doubles and with all digits that were written.
struct Solid {
  MassProperties rounded;
  MassDigits whole;
};

// What the double cannot hold of a number.
double beyond(const DoubleDouble& whole, double value) {
  return static_cast<double>(whole - DoubleDouble(value));
}

Solid placed(const Solid& of, const PartEntry& entry) {
  const WrittenOrientation& turn = entry.orientation;
  return {placed(of.rounded, turn.quaternion, entry.position),
          placed(of.whole, all_digits(turn.quaternion, turn.rest), decimals_of(entry.position))};
}

Solid together(const std::vector<Solid>& parts) {
  std::vector<MassProperties> rounded;
  std::vector<MassDigits> whole;
  for (const Solid& part : parts) {
    rounded.push_back(part.rounded);
    whole.push_back(part.whole);
  }
  return {together(rounded), together(whole)};
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

  // Mass properties at unit density of one shape that is no compound, and what it looks like.
  std::optional<Solid> solid_of(const ShapeEntry& entry, DrawnShape& drawn) const {
    Mesh written;
    if (!shape_of(entry, drawn, written)) return std::nullopt;
    if (entry.shape != "mesh")
      return Solid{solid(entry.shape, drawn.size), solid_digits(entry, drawn.size, written)};
    if (const std::string why = mesh_complaint(drawn.mesh); !why.empty()) {
      if (entry.file.empty()) return complain("triangles", "bound no solid: " + why), std::nullopt;
      return complain("file", fmt::format("{} is no solid: {}", in_quotes(entry.file), why)), std::nullopt;
    }
    return Solid{solid(drawn.mesh), solid_digits(entry, drawn.size, written)};
  }

  // False after a complaint. `written`: a mesh before it is scaled.
  bool shape_of(const ShapeEntry& entry, DrawnShape& drawn, Mesh& written) const {
    drawn.shape = entry.shape;
    const bool is_mesh = entry.shape == "mesh";
    for (const char* key : {"file", "vertices", "triangles"}) {
      if (!is_mesh && node_.find(key) != nullptr) return complain(key, "is for shape = \"mesh\""), false;
    }
    if (is_mesh) {
      auto mesh = mesh_of(entry);
      if (!mesh) return false;
      drawn.mesh = written = std::move(*mesh);
      for (Vec3& point : drawn.mesh.points) {
        for (double& c : point) c *= entry.scale;
      }
      return true;
    }
    const auto measured = size(entry);
    if (measured) drawn.size = *measured;
    return measured.has_value();
  }

  // With its mass, or none after a complaint. `needed`: it must have one.
  std::optional<Solid> weighed(const Solid& unit, const ShapeEntry& entry, bool needed) const {
    if (entry.mass && entry.density)
      return complain("density", "says the same as mass; give one"), std::nullopt;
    const auto with = [&](double mass, const DoubleDouble& whole) {
      return Solid{with_mass(unit.rounded, mass), with_mass(unit.whole, whole)};
    };
    if (entry.density)
      return with(*entry.density * unit.rounded.mass, decimal(*entry.density) * unit.whole.mass);
    if (entry.mass) return with(*entry.mass, decimal(*entry.mass));
    if (needed) return complain("mass", "is missing; give mass in kg or density in kg/m^3"), std::nullopt;
    return unit;
  }

  std::optional<Vec3> complain(const char* key, const std::string& what) const {
    mistakes_.add(spot_of(node_, key), fmt::format("{}: {} {}", owner_, key, what));
    return std::nullopt;
  }

 private:
  std::optional<Mesh> mesh_of(const ShapeEntry& entry) const {
    const bool listed = !entry.vertices.empty() || !entry.triangles.empty();
    if (listed && !entry.file.empty())
      return complain("file", "says the same as vertices and triangles; give one"), std::nullopt;
    if (entry.file.empty() && (entry.vertices.empty() || entry.triangles.empty())) {
      return complain("file", "is missing; a mesh needs an .obj or .stl file, or vertices and triangles"),
             std::nullopt;
    }
    try {
      return listed ? mesh_from(entry) : read_mesh(beside(node_, entry.file));
    } catch (const std::runtime_error& error) {
      if (listed) return complain("triangles", error.what()), std::nullopt;
      return complain("file", fmt::format("{}: {}", in_quotes(entry.file), error.what())), std::nullopt;
    }
  }

  static Mesh mesh_from(const ShapeEntry& entry) {
    Mesh mesh;
    mesh.points = entry.vertices;
    for (const Vec3& corners : entry.triangles) {
      std::array<std::size_t, 3> triangle{};
      for (std::size_t i = 0; i < 3; ++i) {
        if (!(corners[i] < static_cast<double>(mesh.points.size())) || corners[i] != std::floor(corners[i])) {
          throw std::runtime_error(fmt::format("must name corners by whole numbers from 0 to {}, got {}",
                                               mesh.points.size() - 1, number_text(corners[i])));
        }
        triangle[i] = static_cast<std::size_t>(corners[i]);
      }
      mesh.triangles.push_back(triangle);
    }
    return mesh;
  }

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

// Into `body`: what the parts look like, in the frame of the body that they make, and the sum of their
// volumes.
std::optional<Solid> read_parts(const Node& node, const std::string& owner, Body& body, Mistakes& mistakes) {
  const Node* parts = node.find("parts");
  if (parts == nullptr || parts->list() == nullptr || parts->list()->empty()) {
    mistakes.add(spot_of(node, "parts"),
                 owner + ": parts is missing; a compound body needs a list of shapes");
    return std::nullopt;
  }
  const std::size_t mistakes_before = mistakes.count();
  std::vector<Solid> found, displaced;
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
    DrawnShape drawn;
    const auto unit = reader.solid_of(entry, drawn);
    if (!unit) continue;
    const auto heavy = reader.weighed(*unit, entry, true);
    if (heavy) found.back() = placed(*heavy, entry);
    displaced.push_back(placed(*unit, entry));  // at unit density
    drawn.position = entry.position;
    drawn.orientation = entry.orientation.quaternion;
    body.shapes.push_back(std::move(drawn));
  }
  if (mistakes.count() > mistakes_before) return std::nullopt;
  const bool heavy =
      std::any_of(found.begin(), found.end(), [](const Solid& part) { return part.rounded.mass > 0.0; });
  if (!heavy) {
    mistakes.add(parts->spot,
                 owner + ": parts have no mass, so their common centre is nowhere; give one a mass");
    return std::nullopt;
  }
  const Solid all = together(found), volume = together(displaced);
  const Vec3& center = all.rounded.center;
  body.volume = volume.rounded.mass;
  body.volume_rest = beyond(volume.whole.mass, body.volume);
  body.volume_center = volume.rounded.center - center;
  body.volume_center_rest = rest_of(minus(volume.whole.center, all.whole.center), body.volume_center);
  for (DrawnShape& drawn : body.shapes) drawn.position = drawn.position - center;
  return all;
}

void set_mass(const Solid& from, Body& body) {
  body.mass = from.rounded.mass;
  body.inertia = from.rounded.inertia;
  keep_digits(from.whole, body);
}

// A body's own mass and inertia, or what its shape gives.
void weigh(const Node& node, const std::string& owner, const BodyEntry& entry, Body& body,
           Mistakes& mistakes) {
  const ShapeReader reader(node, owner, mistakes);
  const auto complain = [&](const char* key, const std::string& what) { reader.complain(key, what); };
  const bool shaped = node.find("shape") != nullptr || !entry.size.empty() || entry.radius || entry.length;
  if (body.fixed && !shaped && !entry.inertia && !entry.density) return;  // a place to hold on to, not drawn
  body.point = entry.shape == "point";
  if (body.point || entry.inertia) {
    if (body.point && entry.inertia) complain("inertia", "does not go with shape = \"point\"");
    if (entry.density) complain("density", "needs a shape with a volume; give mass");
    if (!entry.mass && !body.fixed) complain("mass", "is missing; it must be a number in kg");
    body.mass = entry.mass.value_or(1.0);
    if (entry.inertia) body.inertia = entry.inertia->matrix;
    MassDigits whole{decimal(body.mass), {}, {}};
    for (std::size_t i = 0; i < 3; ++i) whole.inertia[i] = decimals_of(body.inertia[i]);
    keep_digits(whole, body);
    const bool measured = !entry.size.empty() || entry.radius || entry.length;
    const bool meshed = node.find("file") != nullptr || node.find("vertices") != nullptr;
    DrawnShape drawn;
    Mesh written;
    if (entry.shape != "compound" && (measured || meshed) && reader.shape_of(entry, drawn, written)) {
      // A mesh's points are then from the centre of mass, and it need not bound a solid.
      if (!meshed) drawn.position = Vec3{} - solid(drawn.shape, drawn.size).center;
      const bool is_solid = !body.point && (!meshed || mesh_complaint(drawn.mesh).empty());
      if (is_solid) {
        body.volume = meshed ? solid(drawn.mesh).mass : solid(drawn.shape, drawn.size).mass;
        const MassDigits whole_solid = solid_digits(entry, drawn.size, written);
        body.volume_rest = beyond(whole_solid.mass, body.volume);
        if (meshed) {
          body.volume_center = solid(drawn.mesh).center;
          body.volume_center_rest = rest_of(whole_solid.center, body.volume_center);
        }
      }
      body.size = drawn.size;
      body.shapes.push_back(std::move(drawn));
    }
  } else if (entry.shape == "compound") {
    if (entry.mass || entry.density)
      complain(entry.mass ? "mass" : "density", "belongs to the parts of a compound");
    const auto all = read_parts(node, owner, body, mistakes);
    if (all) set_mass(*all, body);
    return;
  } else {
    DrawnShape drawn;
    const auto unit = reader.solid_of(entry, drawn);
    const auto heavy = unit ? reader.weighed(*unit, entry, !body.fixed) : std::nullopt;
    if (!heavy) return;
    body.volume = unit->rounded.mass;  // at unit density
    body.volume_rest = beyond(unit->whole.mass, body.volume);
    set_mass(*heavy, body);
    body.size = drawn.size;
    drawn.position = Vec3{} - unit->rounded.center;
    body.shapes.push_back(std::move(drawn));
  }
  if (body.fixed || body.point) return;
  if (const std::string why = inertia_complaint(body.inertia); !why.empty()) complain("inertia", why);
}

// Keys of bodies that cannot follow them.
void warn_of_idle_keys(const Node& node, const std::string& owner, const Body& body, Mistakes& mistakes) {
  const auto warn = [&](const char* key, const char* why) {
    if (const Node* value = node.find(key))
      mistakes.warn(value->spot, fmt::format("{}: {} does nothing: {}", owner, key, why));
  };
  const char* fixed = "the body is fixed";
  const char* point = "a point does not turn";
  if (body.fixed && body.velocity != Vec3{}) warn("velocity", fixed);
  if (body.angular_velocity != Vec3{} && (body.fixed || body.point))
    warn("angular_velocity", body.fixed ? fixed : point);
  if (node.find("inertia") != nullptr) warn("parts", "the inertia is given, and nothing is drawn");
  if (body.shape != "mesh") warn("scale", "it is for shape = \"mesh\"");
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
  body.position_rest = rest_of(decimals_of(body.position), body.position);
  body.orientation_rest = entry.orientation.rest;
  body.velocity = entry.velocity;
  body.angular_velocity = entry.angular_velocity;
  body.velocity_rest = rest_of(decimals_of(body.velocity), body.velocity);
  body.angular_velocity_rest = rest_of(decimals_of(body.angular_velocity), body.angular_velocity);
  body.velocity_given = node.find("velocity") != nullptr;
  body.angular_velocity_given = node.find("angular_velocity") != nullptr;
  if (node.find("parts") != nullptr && entry.shape != "compound") {
    mistakes.add(spot_of(node, "parts"), owner + ": parts is for shape = \"compound\"");
  }
  weigh(node, owner, entry, body, mistakes);
  warn_of_idle_keys(node, owner, body, mistakes);
  body.charge = entry.charge;
  body.moment = entry.moment;
  body.susceptibility = entry.susceptibility;
  if (entry.volume) {
    body.volume = *entry.volume;
    body.volume_rest = beyond(decimal(body.volume), body.volume);
  }
  body.drag_area = entry.drag_area;
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

namespace {

Node list_of(const Vec3& numbers, const SharedPlace& spot) {
  Node::List out;
  for (const double number : numbers) out.push_back(Node{spot, number});
  return Node{spot, std::move(out)};
}

Node list_of(const std::array<std::size_t, 3>& numbers, const SharedPlace& spot) {
  Node::List out;
  for (const std::size_t number : numbers) out.push_back(Node{spot, static_cast<std::int64_t>(number)});
  return Node{spot, std::move(out)};
}

template <class Items>
Entry list_entry(const char* key, const Items& items, const SharedPlace& spot) {
  Node::List out;
  for (const auto& item : items) out.push_back(list_of(item, spot));
  return {key, spot, Node{spot, std::move(out)}};
}

void put_mesh_inside(Node& shape) {
  const Node* file = shape.find("file");
  if (file == nullptr || file->text() == nullptr) return;
  const SharedPlace spot = file->spot;
  const Mesh mesh = read_mesh(beside(shape, *file->text()));
  Node::Table& table = *shape.table();
  const auto at = std::find_if(table.begin(), table.end(), [](const Entry& e) { return e.key == "file"; });
  *at = list_entry("vertices", mesh.points, spot);
  table.insert(at + 1, list_entry("triangles", mesh.triangles, spot));
}

}  // namespace

std::string beside(const Node& node, const std::string& file) {
  const std::string source = place_of(node.spot).source;
  const std::size_t slash = source.rfind('/');
  return file.empty() || file[0] == '/' || slash == std::string::npos ? file
                                                                      : source.substr(0, slash + 1) + file;
}

void put_meshes_inside(Node& scene) {
  Node* bodies = scene.find("bodies");
  if (bodies == nullptr) return;
  for (Node& body : *bodies->list()) {
    put_mesh_inside(body);
    Node* parts = body.find("parts");
    if (parts == nullptr || parts->list() == nullptr) continue;
    for (Node& part : *parts->list()) put_mesh_inside(part);
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
