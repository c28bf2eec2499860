#include "catena/draw/gltf/gltf.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "catena/draw/gltf/gltf_buffer.h"
#include "catena/model/placement.h"

namespace catena::draw {
namespace {

using Json = nlohmann::ordered_json;

// Where a node is at one sample.
struct Pose {
  Vec3 place{};
  Quaternion turn{1, 0, 0, 0};
  Vec3 scale{1, 1, 1};
};

// The shortest turn that takes unit vector a to unit vector b.
Quaternion turn_between(const Vec3& a, const Vec3& b) {
  const double along = dot(a, b);
  if (along < -1 + 1e-12) {  // half a turn about anything across
    const Vec3 across = std::fabs(a[0]) < 0.9 ? cross(a, {1, 0, 0}) : cross(a, {0, 1, 0});
    return normalised({0.0, across[0], across[1], across[2]});
  }
  const Vec3 axis = cross(a, b);
  return normalised({1 + along, axis[0], axis[1], axis[2]});
}

// A stick of length 1 along its own z, laid between two points. From sample to sample it turns the shortest
// way, so that it does not spin.
class Stick {
 public:
  explicit Stick(double radius) : radius_(radius) {}

  Pose between(const Vec3& from, const Vec3& to) {
    const Vec3 along = to - from;
    const double length = std::hypot(along[0], along[1], along[2]);
    if (length > 0.0) {
      const Vec3 direction{along[0] / length, along[1] / length, along[2] / length};
      turn_ = normalised(product(turn_between(rotated(turn_, {0, 0, 1}), direction), turn_));
    }
    return {from, turn_, {radius_, radius_, std::max(length, 1e-9)}};
  }

 private:
  double radius_;
  Quaternion turn_{1, 0, 0, 0};
};

bool is_finite(const Sample& sample) {
  const auto finite = [](const auto& list) {
    return std::all_of(list.begin(), list.end(), [](const auto& numbers) {
      return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
    });
  };
  return std::isfinite(sample.t) && finite(sample.ends) && finite(sample.orientations) &&
         finite(sample.uppers);
}

Mesh stick_mesh() {
  Mesh mesh = cylinder_mesh(1.0, 1.0);
  for (Vec3& corner : mesh.corners) corner[2] += 0.5;
  return mesh;
}

class Writer {
 public:
  Writer(const Motion& motion, const std::string& name) : motion_(motion), name_(name) {
    for (const Sample& sample : motion.samples) {
      const bool later = samples_.empty() || sample.t > samples_.back()->t;
      if (later && is_finite(sample)) samples_.push_back(&sample);
    }
    choose_sizes();
  }

  std::string bytes() {
    if (!samples_.empty()) add_parts();
    Json root = {{"name", name_}, {"rotation", {-std::sqrt(0.5), 0.0, 0.0, std::sqrt(0.5)}}};
    if (!top_.empty()) root["children"] = top_;
    const int node = out_.add_node(std::move(root));
    out_.json()["scene"] = 0;
    out_.json()["scenes"].push_back({{"name", name_}, {"nodes", {node}}});
    if (!channels_.empty()) {
      out_.json()["animations"] =
          Json::array({{{"name", name_}, {"channels", channels_}, {"samplers", samplers_}}});
    }
    for (const char* part : {"meshes", "materials", "accessors", "bufferViews"}) {
      if (out_.json()[part].empty()) out_.json().erase(part);  // an empty list is no valid glTF
    }
    return out_.bytes();
  }

 private:
  const Skeleton& skeleton() const { return motion_.skeleton; }

  // Bobs and rods in proportion to the whole.
  void choose_sizes() {
    std::vector<double> lengths;
    double reach = 0.0;
    for (const Skeleton::Link& link : skeleton().links) {
      if (link.length > 0.0) lengths.push_back(link.length);
    }
    if (!samples_.empty()) {
      for (const Vec3& end : samples_.front()->ends) {
        reach = std::max(reach, length(end));
      }
    }
    std::sort(lengths.begin(), lengths.end());
    const double usual = lengths.empty() ? std::max(0.5 * reach, 1e-3) : lengths[lengths.size() / 2];
    thickness_ = 0.02 * usual;
    ball_ = 0.08 * usual;
    double heaviest = 0.0;
    for (const Skeleton::Link& link : skeleton().links) heaviest = std::max(heaviest, link.mass);
    heaviest_ = heaviest > 0.0 ? heaviest : 1.0;
  }

  double bob_radius(const Skeleton::Link& link) const {
    return ball_ * std::clamp(std::cbrt(link.mass / heaviest_), 0.4, 1.0);
  }

  void add_parts() {
    std::vector<GltfRow> times;
    for (const Sample* sample : samples_) times.push_back({sample->t, 0, 0, 0});
    if (samples_.size() > 1) times_ = out_.add_numbers(times, "SCALAR", true);
    grey_ = out_.add_material("steel", rgb(0x8a9099), 0.6);
    stick_ = out_.add_mesh(stick_mesh(), grey_);
    pin_ = out_.add_mesh(sphere_mesh(1.0), grey_);
    for (std::size_t k = 0; k < skeleton().links.size(); ++k) add_link(k);
    for (const Skeleton::BodyPoint& pin : skeleton().pins) add_pin(pin);
    for (std::size_t i = 0; i < skeleton().ties.size(); ++i) add_tie(i);
    for (const std::vector<Skeleton::BodyPoint>& curve : skeleton().curves) add_curve(curve);
  }

  void add_link(std::size_t k) {
    const Skeleton::Link& link = skeleton().links[k];
    const Colour colour = series_colour(light_theme(), k, skeleton().links.size());
    const int material = out_.add_material(link.label, colour, 0.0);
    const bool is_body = link.parent == Skeleton::kFree;
    const Mesh& shape = link.mesh >= 0 ? skeleton().meshes[static_cast<std::size_t>(link.mesh)]
                                       : sphere_mesh(bob_radius(link));
    const int mesh = out_.add_mesh(shape, material);
    std::vector<Pose> poses;
    for (const Sample* sample : samples_) {
      const bool turns = is_body && k < sample->orientations.size();
      poses.push_back({sample->ends[k], turns ? sample->orientations[k] : Quaternion{1, 0, 0, 0}});
    }
    link_nodes_.push_back(add_moving(is_body ? link.label : "bob_" + link.label, mesh, poses));
    if (link.mesh < 0) add_arms(k);
    if (!is_body) add_rod(k);
  }

  // What shows where a body without a shape is.
  void add_arms(std::size_t k) {
    for (const Skeleton::BodyPoint& arm : skeleton().arms) {
      if (arm.link != static_cast<int>(k)) continue;
      const Pose pose = Stick(thickness_).between({}, arm.point);
      add_child(k, out_.add_node(posed({{"mesh", stick_}}, pose)));
    }
  }

  void add_rod(std::size_t k) {
    const Skeleton::Link& link = skeleton().links[k];
    Stick stick(thickness_);
    std::vector<Pose> poses;
    for (const Sample* sample : samples_) {
      const Vec3 hook = k < sample->uppers.size() ? sample->uppers[k] : link.pivot;
      poses.push_back(stick.between(
          link.parent < 0 ? hook : sample->ends[static_cast<std::size_t>(link.parent)], sample->ends[k]));
    }
    add_moving("rod_" + link.label, stick_, poses);
  }

  void add_pin(const Skeleton::BodyPoint& pin) {
    const double size = 1.6 * thickness_;
    const int node = out_.add_node(posed({{"mesh", pin_}}, {pin.point, {1, 0, 0, 0}, {size, size, size}}));
    pin.link < 0 ? top_.push_back(node) : add_child(static_cast<std::size_t>(pin.link), node);
  }

  // Sticks in a row, which stand still in what carries the curve.
  void add_curve(const std::vector<Skeleton::BodyPoint>& curve) {
    for (std::size_t i = 1; i < curve.size(); ++i) {
      const Pose pose = Stick(0.5 * thickness_).between(curve[i - 1].point, curve[i].point);
      const int node = out_.add_node(posed({{"mesh", stick_}}, pose));
      curve[i].link < 0 ? top_.push_back(node) : add_child(static_cast<std::size_t>(curve[i].link), node);
    }
  }

  void add_tie(std::size_t i) {
    const Skeleton::Tie& tie = skeleton().ties[i];
    Stick stick(0.7 * thickness_);
    std::vector<Pose> poses;
    for (const Sample* sample : samples_) {
      const auto place = [&](const Skeleton::BodyPoint& spot) {
        if (spot.link < 0) return spot.point;
        const auto k = static_cast<std::size_t>(spot.link);
        const bool turns = k < sample->orientations.size();
        return sample->ends[k] + (turns ? rotated(sample->orientations[k], spot.point) : spot.point);
      };
      poses.push_back(stick.between(place(tie.from), place(tie.to)));
    }
    add_moving((tie.spring ? "spring_" : "tie_") + std::to_string(i + 1), stick_, poses);
  }

  static Json posed(Json node, const Pose& pose) {
    node["translation"] = pose.place;
    node["rotation"] = {pose.turn[1], pose.turn[2], pose.turn[3], pose.turn[0]};
    node["scale"] = pose.scale;
    return node;
  }

  void add_child(std::size_t link, int node) {
    out_.json()["nodes"][static_cast<std::size_t>(link_nodes_[link])]["children"].push_back(node);
  }

  // A node that stands where the first pose is, and an animation of what changes.
  int add_moving(const std::string& name, int mesh, std::vector<Pose> poses) {
    for (std::size_t k = 1; k < poses.size(); ++k) {
      double along = 0.0;
      for (std::size_t i = 0; i < 4; ++i) along += poses[k].turn[i] * poses[k - 1].turn[i];
      for (double& part : poses[k].turn) part = along < 0.0 ? -part : part;
    }
    const int node = out_.add_node(posed({{"name", name}, {"mesh", mesh}}, poses.front()));
    top_.push_back(node);
    animate(node, "translation", "VEC3", poses, [](const Pose& p) {
      return GltfRow{p.place[0], p.place[1], p.place[2], 0.0};
    });
    animate(node, "rotation", "VEC4", poses, [](const Pose& p) {
      return GltfRow{p.turn[1], p.turn[2], p.turn[3], p.turn[0]};
    });
    // Lengths of rigid links differ by roundoff only.
    const double first = poses.front().scale[2];
    const bool stretches = std::any_of(poses.begin(), poses.end(), [&](const Pose& p) {
      return std::fabs(p.scale[2] - first) > 1e-6 * first;
    });
    if (stretches) {
      animate(node, "scale", "VEC3", poses, [](const Pose& p) {
        return GltfRow{p.scale[0], p.scale[1], p.scale[2], 0.0};
      });
    }
    return node;
  }

  template <class Part>
  void animate(int node, const char* path, const char* kind, const std::vector<Pose>& poses, Part part) {
    std::vector<GltfRow> rows;
    bool changes = false;
    for (const Pose& pose : poses) {
      rows.push_back(part(pose));
      changes = changes || rows.back() != rows.front();
    }
    if (!changes) return;
    channels_.push_back({{"sampler", samplers_.size()}, {"target", {{"node", node}, {"path", path}}}});
    samplers_.push_back(
        {{"input", times_}, {"output", out_.add_numbers(rows, kind, false)}, {"interpolation", "LINEAR"}});
  }

  const Motion& motion_;
  std::string name_;
  std::vector<const Sample*> samples_;
  double thickness_ = 0.02, ball_ = 0.08, heaviest_ = 1.0;
  int times_ = -1, grey_ = -1, stick_ = -1, pin_ = -1;
  GltfBuffer out_;
  std::vector<int> link_nodes_, top_;
  Json channels_ = Json::array(), samplers_ = Json::array();
};

}  // namespace

std::string gltf_binary(const Motion& motion, const std::string& name) {
  return Writer(motion, name).bytes();
}

}  // namespace catena::draw
