#include "catena/draw/plot/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/model/curves.h"
#include "catena/model/joint_info.h"

namespace catena::draw {
namespace {

constexpr double kMargin = 16;

std::vector<Vec3> ring(const Ground& ground, double radius) {
  std::vector<Vec3> out;
  constexpr int kPoints = 96;
  for (int i = 0; i < kPoints; ++i) {
    const double angle = 2 * std::numbers::pi * i / kPoints;
    out.push_back({ground.center[0] + radius * std::cos(angle), ground.center[1] + radius * std::sin(angle),
                   ground.center[2]});
  }
  return out;
}

std::vector<Point> seen_points(const View& view, std::span<const Vec3> points) {
  std::vector<Point> out;
  for (const Vec3& point : points) out.push_back(view(point).at);
  return out;
}

// Older parts paler and first, so that the newest lie on top.
void draw_paths(const SpacePicture& picture, const Theme& theme, Canvas& canvas) {
  for (const BobPath& path : picture.paths) {
    if (!path.density) continue;
    Image image{path.density->width, path.density->height, {}};
    image.pixels.resize(path.density->hits.size());
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      const double hits = path.density->hits[i];
      if (hits == 0.0) continue;
      const double alpha = std::min(0.6, 0.10 + 0.08 * std::log1p(hits));
      const auto byte = [&](double part) {
        return static_cast<std::uint32_t>(std::lround(255 * part * alpha));
      };
      image.pixels[i] =
          byte(1.0) << 24 | byte(path.colour.r) << 16 | byte(path.colour.g) << 8 | byte(path.colour.b);
    }
    canvas.image(image, {path.x_bounds.low, path.y_bounds.low, path.x_bounds.high - path.x_bounds.low,
                         path.y_bounds.high - path.y_bounds.low});
  }
  std::size_t most = 0;
  for (const BobPath& path : picture.paths) most = std::max(most, path.points.size());
  // A long path is a ball of wool: the older it is, the more it steps back.
  const double crowd = std::clamp(static_cast<double>(most) / 4000.0, 0.0, 1.0);
  constexpr std::size_t kAges = 36;
  for (std::size_t age = 0; age < kAges; ++age) {
    const double newness = static_cast<double>(age + 1) / kAges;
    for (const BobPath& path : picture.paths) {
      const std::size_t count = path.points.size();
      const std::size_t first = count * age / kAges, last = std::min(count, count * (age + 1) / kAges + 1);
      if (last <= first + 1) continue;
      const double share = 0.30 - 0.18 * crowd + (0.70 + 0.18 * crowd) * std::pow(newness, 1.4 + 3.0 * crowd);
      canvas.polyline(std::span(path.points).subspan(first, last - first),
                      {mixed(theme.sky, path.colour, share), 0.6 + 0.9 * newness});
    }
  }
}

// At the last instant bodies are seen as they are, before that as points.
void draw_bodies(const SpacePicture& picture, const std::vector<Vec3>& ends, double newness, const Theme&,
                 Canvas& canvas) {
  if (newness < 0.99 || picture.orientations.empty()) return;
  std::vector<Solid> solids;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const int mesh = picture.skeleton.links[k].mesh;
    if (mesh < 0) continue;
    solids.push_back({&picture.skeleton.meshes[static_cast<std::size_t>(mesh)], ends[k],
                      picture.orientations[k], picture.colours[k]});
  }
  draw_solids(canvas, picture.view, solids);
}

void draw_chain(const SpacePicture& picture, std::size_t instant, double newness, const Theme& theme,
                Canvas& canvas) {
  const std::vector<Vec3>& ends = picture.instants[instant];
  const Colour rod = mixed(theme.sky, theme.ink, 0.06 + 0.88 * newness * newness);
  const double width = picture.skeleton.links.size() > 30 ? 1.2 : 1.0 + 1.2 * newness;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const Skeleton::Link& link = picture.skeleton.links[k];
    if (link.parent == Skeleton::kFree) continue;
    const Vec3& hook = instant < picture.uppers.size() ? picture.uppers[instant][k] : link.pivot;
    const Vec3& upper = link.parent < 0 ? hook : ends[static_cast<std::size_t>(link.parent)];
    canvas.line(picture.view(upper).at, picture.view(ends[k]).at, {rod, width});
  }
  const bool many = picture.skeleton.links.size() > 30;
  const double radius = many ? 1.6 : 3.4 + 1.4 * newness;
  std::vector<std::size_t> order(ends.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return picture.view(ends[a]).depth > picture.view(ends[b]).depth;
  });
  draw_bodies(picture, ends, newness, theme, canvas);
  for (const std::size_t k : order) {
    if (picture.skeleton.links[k].mesh >= 0 && newness > 0.99 && !picture.orientations.empty()) continue;
    const Colour colour = mixed(theme.sky, picture.colours[k], 0.28 + 0.72 * newness);
    if (!many) canvas.disc(picture.view(ends[k]).at, radius + 0.9, theme.sky);
    if (newness > 0.99) {
      canvas.ball(picture.view(ends[k]).at, radius, colour);
    } else {
      canvas.disc(picture.view(ends[k]).at, radius, colour);
    }
  }
}

void draw_header(const SpacePicture& picture, const Theme& theme, Canvas& canvas) {
  canvas.text(picture.title, {kMargin, kMargin + 10}, {.size = 13, .colour = theme.ink, .bold = true});
  canvas.text(picture.note, {kMargin, kMargin + 26}, {.size = 9, .colour = theme.muted});
  double x = kMargin;
  const double y = kMargin + 43;
  if (picture.key) {
    const TextStyle style = {.size = 8.5, .colour = theme.muted, .level = Align::middle};
    x = canvas.text(picture.key->label, {x, y}, style).right() + 8;
    x = canvas.text(picture.key->first, {x, y}, style).right() + 5;
    constexpr int kCells = 60;
    for (int i = 0; i < kCells; ++i) {
      canvas.fill({x + 2.0 * i, y - 3, 2.2, 6},
                  sequence_colour(theme, static_cast<double>(i) / (kCells - 1)));
    }
    canvas.text(picture.key->last, {x + 2.0 * kCells + 5, y}, style);
    return;
  }
  for (std::size_t i = 0; i < picture.legend.size(); ++i) {
    canvas.ball({x + 4, y}, 4, picture.paths[i].colour);
    x = canvas
            .text(picture.legend[i], {x + 11, y}, {.size = 8.5, .colour = theme.ink, .level = Align::middle})
            .right() +
        14;
  }
}

void add_mechanism(const Mechanism& mechanism, Skeleton& skeleton) {
  const int first = static_cast<int>(skeleton.links.size());
  for (const Body& body : mechanism.bodies) {
    Skeleton::Link link{body.name, Skeleton::kFree, {}, false, body.mass};
    // A body known by its inertia alone has no shape: its arms show where it is.
    const bool has_shape = body.size[0] > 0.0 || !body.shapes.empty();
    if (!body.point && has_shape) {
      link.mesh = static_cast<int>(skeleton.meshes.size());
      skeleton.meshes.push_back(body_mesh(body));
    }
    skeleton.links.push_back(std::move(link));
  }
  const auto spot = [first](int body, const JointFrame& frame) {
    return Skeleton::BodyPoint{body == kGround ? -1 : first + body, frame.point};
  };
  for (const Joint& joint : mechanism.joints) {
    const JointDrawing drawing = joint_info(joint.kind).drawing;
    if (drawing == JointDrawing::nothing) continue;
    if (drawing == JointDrawing::curve) {
      skeleton.curves.emplace_back();
      for (const Vec3& point : drawn_curve(mechanism, joint))
        skeleton.curves.back().push_back({joint.a == kGround ? -1 : first + joint.a, point});
      if (joint.b != kGround) skeleton.arms.push_back(spot(joint.b, joint.in_b));
    } else if (drawing != JointDrawing::rail) {
      if (joint.a != kGround) skeleton.arms.push_back(spot(joint.a, joint.in_a));
      if (joint.b != kGround) skeleton.arms.push_back(spot(joint.b, joint.in_b));
    }
    if (drawing == JointDrawing::rod) {
      skeleton.ties.push_back({spot(joint.a, joint.in_a), spot(joint.b, joint.in_b), false});
    } else if (drawing == JointDrawing::pin || drawing == JointDrawing::curve) {
      skeleton.pins.push_back(joint.b == kGround ? spot(joint.a, joint.in_a) : spot(joint.b, joint.in_b));
    }
  }
  for (const JointForce& force : mechanism.forces) {
    if (force.along == JointForce::Along::distance) {
      skeleton.ties.push_back({spot(force.a, force.in_a), spot(force.b, force.in_b), true});
    }
  }
  for (const Skeleton::Tie& tie : skeleton.ties) {
    for (const Skeleton::BodyPoint& end : {tie.from, tie.to}) {
      if (end.link >= 0) skeleton.arms.push_back(end);
    }
  }
}

// Springs of [[forces]]; `first`: where the links of each chain begin, and behind them the bodies.
void add_springs(const Scene& scene, const std::vector<int>& first, Skeleton& skeleton) {
  const auto spot = [&](const Attachment& end) {
    if (end.chain >= 0) return Skeleton::BodyPoint{first[static_cast<std::size_t>(end.chain)] + end.link, {}};
    return Skeleton::BodyPoint{end.body < 0 ? -1 : first.back() + end.body, end.point};
  };
  for (const ForceEntry& force : scene.forces) {
    if (force.kind != "spring") continue;
    skeleton.ties.push_back({spot(force.between[0]), spot(force.between[1]), true});
    for (const Attachment& end : force.between) {
      if (end.body >= 0) skeleton.arms.push_back(spot(end));
    }
  }
}

}  // namespace

std::vector<Vec3> Skeleton::pivots() const {
  std::vector<Vec3> out;
  for (const Link& link : links) {
    if (link.parent == kPivot && std::find(out.begin(), out.end(), link.pivot) == out.end())
      out.push_back(link.pivot);
  }
  return out;
}

Skeleton skeleton_of(const Scene& scene) {
  Skeleton skeleton;
  std::vector<int> starts;
  for (const Chain& chain : scene.chains) {
    const int first = static_cast<int>(skeleton.links.size());
    starts.push_back(first);
    for (std::size_t k = 0; k < chain.links.size(); ++k) {
      const Link& link = chain.links[k];
      const std::string number = std::to_string(k + 1);
      skeleton.links.push_back({chain.name.empty() ? number : chain.name + "_" + number,
                                link.parent < 0 ? Skeleton::kPivot : first + link.parent, chain.pivot,
                                chain.kind == ChainKind::elastic, link.mass, link.length,
                                chain.pivot_motion != Formulas{} || chain.carrier});
    }
  }
  starts.push_back(static_cast<int>(skeleton.links.size()));
  add_mechanism(scene.mechanism, skeleton);
  add_springs(scene, starts, skeleton);
  return skeleton;
}

Skeleton skeleton_of(const std::vector<std::string>& labels) {
  Skeleton skeleton;
  for (const std::string& label : labels) {
    skeleton.links.push_back({label, static_cast<int>(skeleton.links.size()) - 1, {}, false, 1.0});
  }
  return skeleton;
}

void Room::add(const Vec3& point) {
  if (!std::isfinite(point[0] + point[1] + point[2])) return;
  x.add(point[0]);
  y.add(point[1]);
  z.add(point[2]);
  const double dx = point[0] - center[0], dy = point[1] - center[1];
  if (dx * dx + dy * dy > reach * reach) reach = std::sqrt(dx * dx + dy * dy);
}

bool Room::is_flat() const {
  return std::min(x.high - x.low, y.high - y.low) < 1e-6 * std::max(reach, z.high - z.low);
}

double Room::plane_azimuth() const { return x.high - x.low >= y.high - y.low ? 0.0 : std::numbers::pi / 2; }

Ground ground_for(const Room& room) {
  Ground ground;
  const double height = room.z.empty() ? 1.0 : room.z.high - room.z.low;
  const double reach = std::max({room.reach, 0.22 * height, 1e-9});
  const double power = std::pow(10.0, std::floor(std::log10(reach)));
  ground.gap = reach / power >= 5 ? 2 * power : reach / power >= 2 ? power : 0.5 * power;
  ground.rings = std::max(1, static_cast<int>(std::ceil(reach / ground.gap - 1e-9)));
  const double low = room.z.empty() ? 0.0 : room.z.low;
  ground.center = {room.center[0], room.center[1], low - 0.06 * std::max(height, 0.5 * reach)};
  return ground;
}

void draw_ground(Canvas& canvas, const View& view, const Ground& ground, const Theme& theme) {
  canvas.fill(seen_points(view, ring(ground, ground.radius())), theme.ground);
  for (int k = 1; k <= ground.rings; ++k) {
    canvas.outline(seen_points(view, ring(ground, ground.gap * k)), {theme.ground_line, 0.8});
  }
}

Gaze gaze_for(const Room& room) {
  if (room.is_flat()) return {room.plane_azimuth() - std::numbers::pi / 2 + 0.30, 0.24};
  return {-0.72, 0.32};
}

View view_for(const Room& room, const Ground& ground, const Gaze& gaze, const Rect& frame, bool all_around) {
  std::vector<Vec3> points = ring(ground, std::max(room.reach, 0.75 * ground.radius()));
  const double high = room.z.empty() ? 1.0 : room.z.high, low = ground.center[2];
  if (all_around || !room.is_flat()) {
    const std::vector<Vec3> around = drum(ground.center, room.reach, low, high);
    points.insert(points.end(), around.begin(), around.end());
  } else {
    for (const double px : {room.x.low, room.x.high}) {
      for (const double py : {room.y.low, room.y.high}) points.push_back({px, py, high});
    }
  }
  return View(points, gaze, frame);
}

View view_of(std::vector<Vec3> points, const Room& room, const Ground& ground, const Gaze& gaze,
             const Rect& frame) {
  const std::vector<Vec3> middle = ring(ground, std::max(0.8 * room.reach, 0.4 * ground.radius()));
  points.insert(points.end(), middle.begin(), middle.end());
  return View(points, gaze, frame);
}

Rect space_frame(double width, double height, std::size_t legend_entries) {
  const double top = kMargin + (legend_entries > 0 ? 56 : 40);
  return {2.5 * kMargin, top, width - 5 * kMargin, height - top - 1.5 * kMargin};
}

Drawn draw(const SpacePicture& picture, const Theme& theme, Canvas& canvas) {
  canvas.fill(theme.sky);
  draw_ground(canvas, picture.view, picture.ground, theme);
  canvas.polyline(picture.shadow, {mixed(theme.ground, theme.muted, 0.22), 1.2});
  const std::vector<Vec3> pivots = picture.skeleton.pivots();
  for (const Vec3& pivot : pivots) {
    const Point foot = picture.view({pivot[0], pivot[1], picture.ground.center[2]}).at;
    canvas.line(picture.view(pivot).at, foot, {mixed(theme.sky, theme.muted, 0.45), 0.8, {0.5, 4}});
    canvas.disc(foot, 1.8, mixed(theme.sky, theme.muted, 0.6));
  }
  draw_paths(picture, theme, canvas);
  for (std::size_t i = 0; i < picture.instants.size(); ++i) {
    draw_chain(picture, i, static_cast<double>(i + 1) / static_cast<double>(picture.instants.size()), theme,
               canvas);
  }
  for (const Vec3& pivot : pivots) {
    canvas.disc(picture.view(pivot).at, 4.4, theme.sky);
    canvas.disc(picture.view(pivot).at, 3.4, theme.ink);
  }
  draw_header(picture, theme, canvas);
  return {canvas.width(), canvas.height(), canvas.texts(), {}};
}

}  // namespace catena::draw
