#include "catena/draw/film/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "catena/draw/label.h"

namespace catena::draw {
namespace {

constexpr std::size_t kMostTrails = 120;

Image blank(int width, int height) {
  return {width, height,
          std::vector<std::uint32_t>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                                     0xff000000u)};
}

// Sky: a little lighter above the horizon, so that the picture has depth.
void fill_sky(Image& image, const Rect& area, const Theme& theme) {
  const int x0 = std::max(0, static_cast<int>(area.x)),
            x1 = std::min(image.width, static_cast<int>(area.right()));
  const int y0 = std::max(0, static_cast<int>(area.y)),
            y1 = std::min(image.height, static_cast<int>(area.bottom()));
  const Colour low =
      theme.dark ? mixed(theme.sky, rgb(0x2a3240), 0.75) : mixed(theme.sky, rgb(0xe9edf0), 0.9);
  for (int y = y0; y < y1; ++y) {
    const double share = std::clamp((y - area.y) / area.height, 0.0, 1.0);
    const Colour colour = mixed(theme.sky, low, share * share);
    const auto byte = [](double part) { return static_cast<std::uint32_t>(std::lround(255 * part)); };
    const std::uint32_t pixel = 0xff000000u | byte(colour.r) << 16 | byte(colour.g) << 8 | byte(colour.b);
    std::uint32_t* row = image.pixels.data() + static_cast<std::ptrdiff_t>(y) * image.width;
    std::fill(row + x0, row + x1, pixel);
  }
}

// What link k hangs from.
const Vec3& upper_end(const Motion& motion, const Sample& sample, std::size_t k) {
  const Skeleton::Link& link = motion.skeleton.links[k];
  if (link.parent == Skeleton::kFree) return sample.ends[k];
  if (link.parent >= 0) return sample.ends[static_cast<std::size_t>(link.parent)];
  return sample.uppers.empty() ? link.pivot : sample.uppers[k];
}

// The hooks that links hang from, each once.
std::vector<Vec3> hooks(const Motion& motion, const Sample& sample) {
  std::vector<Vec3> out;
  for (std::size_t k = 0; k < sample.ends.size(); ++k) {
    if (motion.skeleton.links[k].parent != Skeleton::kPivot) continue;
    const Vec3& hook = upper_end(motion, sample, k);
    if (std::find(out.begin(), out.end(), hook) == out.end()) out.push_back(hook);
  }
  return out;
}

// The body that link k is, at this instant. Only for links with a mesh.
Solid solid_at(const Motion& motion, const Sample& sample, std::size_t k, const Colour& colour) {
  const Mesh& mesh = motion.skeleton.meshes[static_cast<std::size_t>(motion.skeleton.links[k].mesh)];
  const Quaternion still = {1, 0, 0, 0};
  return {&mesh, sample.ends[k], k < sample.orientations.size() ? sample.orientations[k] : still, colour};
}

Vec3 point_at(const Sample& sample, const Skeleton::BodyPoint& spot) {
  if (spot.link < 0) return spot.point;
  const auto k = static_cast<std::size_t>(spot.link);
  Solid body;
  body.position = sample.ends[k];
  if (k < sample.orientations.size()) body.orientation = sample.orientations[k];
  return to_world(body, spot.point);
}

// Corners of all bodies now and then, so that the picture has room for them.
std::vector<Vec3> body_corners(const Motion& motion) {
  std::vector<Vec3> out;
  const std::size_t stride = std::max<std::size_t>(1, motion.samples.size() / 60);
  for (std::size_t i = 0; i < motion.samples.size(); i += stride) {
    for (std::size_t k = 0; k < motion.skeleton.links.size(); ++k) {
      if (motion.skeleton.links[k].mesh < 0) continue;
      const Solid solid = solid_at(motion, motion.samples[i], k, {});
      const std::size_t skip = std::max<std::size_t>(1, solid.mesh->corners.size() / 24);
      for (std::size_t c = 0; c < solid.mesh->corners.size(); c += skip) {
        const Vec3 corner = to_world(solid, solid.mesh->corners[c]);
        if (std::isfinite(corner[0] + corner[1] + corner[2])) out.push_back(corner);
      }
    }
  }
  for (const Skeleton::BodyPoint& pin : motion.skeleton.pins)
    out.push_back(point_at(motion.samples.front(), pin));
  for (const Skeleton::Tie& tie : motion.skeleton.ties) {
    for (const Skeleton::BodyPoint& end : {tie.from, tie.to})
      out.push_back(point_at(motion.samples.front(), end));
  }
  for (const std::vector<Skeleton::BodyPoint>& curve : motion.skeleton.curves) {
    for (const Skeleton::BodyPoint& spot : curve) out.push_back(point_at(motion.samples.front(), spot));
  }
  return out;
}

double median_link_length(const Motion& motion) {
  const Sample& sample = motion.samples.front();
  std::vector<double> lengths;
  for (std::size_t k = 0; k < sample.ends.size(); ++k) {
    if (motion.skeleton.links[k].parent == Skeleton::kFree) continue;
    const Vec3& upper = upper_end(motion, sample, k);
    lengths.push_back(length(sample.ends[k] - upper));
  }
  if (lengths.empty()) return 1.0;
  std::nth_element(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2),
                   lengths.end());
  return lengths[lengths.size() / 2];
}

}  // namespace

Film::Film(Motion motion, std::vector<Motion> ghosts, FilmLook look)
    : motion_(std::move(motion)),
      ghosts_(std::move(ghosts)),
      look_(std::move(look)),
      backdrop_(blank(look_.width, look_.height)),
      image_(blank(look_.width, look_.height)),
      shadow_(look_.width, look_.height) {
  const std::size_t links = motion_.skeleton.links.size();
  for (std::size_t k = 0; k < links; ++k) colours_.push_back(series_colour(look_.theme, k, links));
  const std::size_t trails = std::min(links, kMostTrails);
  for (std::size_t i = 1; i <= trails; ++i) trailing_.push_back(i * links / trails - 1);
  for (const Sample& sample : motion_.samples) {
    for (const double strain : sample.strain) strain_scale_ = std::max(strain_scale_, std::fabs(strain));
  }
  choose_view();
  choose_sizes();
  make_charts();
}

void Film::choose_view() {
  const std::vector<Vec3> pivots = motion_.skeleton.pivots();
  if (!pivots.empty()) {
    for (const Vec3& pivot : pivots) {
      for (std::size_t i = 0; i < 3; ++i) room_.center[i] += pivot[i] / static_cast<double>(pivots.size());
    }
  }
  for (const Vec3& pivot : pivots) room_.add(pivot);
  for (const Sample& sample : motion_.samples) {
    for (const Vec3& end : sample.ends) room_.add(end);
    for (const Vec3& upper : sample.uppers) room_.add(upper);
  }
  for (const Motion& ghost : ghosts_) {
    for (const Sample& sample : ghost.samples) {
      for (const Vec3& end : sample.ends) room_.add(end);
    }
  }
  const std::vector<Vec3> corners = body_corners(motion_);
  if (pivots.empty()) {  // the ground lies below the middle of what moves
    Room all;
    for (const Vec3& corner : corners) all.add(corner);
    for (const Vec3& end : motion_.samples.front().ends) all.add(end);
    room_.center = {0.5 * (all.x.low + all.x.high), 0.5 * (all.y.low + all.y.high), all.z.high};
    room_.reach = 0.0;
    for (const Sample& sample : motion_.samples) {
      for (const Vec3& end : sample.ends) room_.add(end);
    }
  }
  for (const Vec3& corner : corners) room_.add(corner);
  ground_ = ground_for(room_);
  gaze_ = look_.gaze.value_or(gaze_for(room_));
  const double width = look_.width, height = look_.height;
  stage_ = {0, 0, look_.panels.empty() ? width : std::round(0.66 * width), height};
  const double margin = 0.07 * height;
  const Rect frame = {stage_.x + margin, margin, stage_.width - 2 * margin, height - 2 * margin};
  if (look_.turn != 0.0) {
    view_ = view_for(room_, ground_, gaze_, frame, true);
    return;
  }
  std::vector<Vec3> points = corners;
  points.insert(points.end(), pivots.begin(), pivots.end());
  const std::size_t stride = std::max<std::size_t>(1, motion_.samples.size() / 400);
  for (std::size_t k = 0; k < motion_.samples.size(); k += stride) {
    for (const Vec3& end : motion_.samples[k].ends) {
      if (std::isfinite(end[0] + end[1] + end[2])) points.push_back(end);
    }
  }
  view_ = view_of(std::move(points), room_, ground_, gaze_, frame);
}

void Film::choose_sizes() {
  // As large as reads well on the screen, but never so that neighbours touch.
  const double length = median_link_length(motion_);
  const double pixels_per_metre = (*view_)(room_.center).scale;
  const double height = look_.height;
  ball_radius_ = std::min(0.021 * height / pixels_per_metre, 0.30 * length);
  ball_radius_ = std::max(ball_radius_, 0.0028 * height / pixels_per_metre);
  rod_width_ = std::min(0.0075 * height / pixels_per_metre, 0.55 * ball_radius_);
  rod_width_ = std::max(rod_width_, 0.0022 * height / pixels_per_metre);
  double heaviest = 0.0;
  for (const Skeleton::Link& link : motion_.skeleton.links) heaviest = std::max(heaviest, link.mass);
  for (const Skeleton::Link& link : motion_.skeleton.links) {
    const double share = heaviest > 0.0 ? std::cbrt(link.mass / heaviest) : 1.0;
    relative_radius_.push_back(std::clamp(share, 0.45, 1.0));
  }
}

double Film::bob_radius(std::size_t link, double scale) const {
  return std::max(1.2, ball_radius_ * relative_radius_[link] * scale);
}

Point Film::place(std::size_t link) const { return places_.at(link); }

// ---- charts beside the stage

void Film::make_charts() {
  const double left = stage_.right(), width = look_.width - left;
  const double height = look_.height / std::max(1.0, static_cast<double>(look_.panels.size()));
  const double text = look_.height / 60.0, margin = 0.035 * look_.height;
  const auto word = [&](const char* english) { return in_words(english, look_.language); };
  const double start = motion_.samples.front().t, end = std::max(motion_.samples.back().t, start + 1e-9);
  const Axis time = {.label = word("Time") + " $t$", .unit = "s", .range = Span{start, end}};
  for (std::size_t i = 0; i < look_.panels.size(); ++i) {
    Chart chart;
    chart.kind = look_.panels[i];
    chart.place = {left + 0.2 * margin, static_cast<double>(i) * height + margin, width - 1.2 * margin,
                   height - 1.4 * margin};
    Panel& panel = chart.panel;
    panel.x = time;
    const auto faint = [&](const Colour& colour, const auto& point) {
      Curve curve;
      curve.colour = mixed(look_.theme.paper, colour, 0.22);
      curve.width = 0.09 * text;
      const std::size_t stride = std::max<std::size_t>(1, motion_.samples.size() / 4000);
      for (std::size_t k = 0; k < motion_.samples.size(); k += stride)
        curve.points.push_back(point(motion_.samples[k]));
      panel.curves.push_back(std::move(curve));
    };
    const std::size_t links = motion_.samples.front().theta.size();
    if (chart.kind == SidePanel::energy) {
      panel.y = {.label = word("Energy"), .unit = "J"};
      faint(series_colour(look_.theme, 1, 3), [](const Sample& s) { return Point{s.t, s.kinetic}; });
      faint(series_colour(look_.theme, 0, 3), [](const Sample& s) {
        return Point{s.t, s.potential + s.elastic};
      });
      faint(look_.theme.ink, [](const Sample& s) { return Point{s.t, s.energy}; });
    } else {
      const bool phase = chart.kind == SidePanel::phase;
      if (phase) panel.x = {.label = "$θ$", .unit = "rad", .angle = true};
      panel.y = phase ? Axis{.label = "$\\dot θ$", .unit = "rad/s"}
                      : Axis{.label = word("Polar angle") + " $θ$", .unit = "rad", .angle = true};
      for (std::size_t k = 0; k < links; ++k) {
        faint(colours_[k], [k, phase](const Sample& s) {
          return phase ? Point{s.theta[k], s.theta_dot[k]} : Point{s.t, s.theta[k]};
        });
      }
    }
    charts_.push_back(std::move(chart));
  }
}

void Film::draw_charts(std::size_t sample) {
  const double thick = look_.height / 400.0;
  for (Chart& chart : charts_) {
    if (chart.kind == SidePanel::phase) continue;  // it would cover itself: draw_phase
    const auto points_at = [&](std::size_t k) {
      const Sample& s = motion_.samples[k];
      std::vector<std::pair<Point, Colour>> out;
      if (chart.kind == SidePanel::energy) {
        out = {{{s.t, s.kinetic}, series_colour(look_.theme, 1, 3)},
               {{s.t, s.potential + s.elastic}, series_colour(look_.theme, 0, 3)},
               {{s.t, s.energy}, look_.theme.ink}};
      } else {
        for (std::size_t i = 0; i < s.theta.size(); ++i) {
          out.push_back({{s.t, s.theta[i]}, colours_[i]});
        }
      }
      for (auto& [point, colour] : out) point = chart.frame.place(point.x, point.y);
      return out;
    };
    auto before = points_at(std::min(chart.drawn, sample));
    for (; chart.drawn < sample; ++chart.drawn) {
      auto after = points_at(chart.drawn + 1);
      for (std::size_t i = 0; i < after.size(); ++i) {
        paint_line(backdrop_, before[i].first, after[i].first, thick, after[i].second, after[i].second);
      }
      before = std::move(after);
    }
  }
}

// The newest part of a phase portrait, fading like a trail.
void Film::draw_phase(const Chart& chart, std::size_t sample) {
  const double now = motion_.samples[sample].t, span = std::max(look_.trail, 1e-9), oldest = now - span;
  const double thick = look_.height / 360.0;
  std::size_t first = sample;
  while (first > 0 && motion_.samples[first - 1].t >= oldest) --first;
  for (std::size_t link = 0; link < motion_.samples[sample].theta.size(); ++link) {
    for (std::size_t k = first + 1; k <= sample; ++k) {
      const Sample &a = motion_.samples[k - 1], &b = motion_.samples[k];
      if (std::fabs(b.theta[link] - a.theta[link]) > std::numbers::pi) continue;
      const double age = (b.t - oldest) / span;
      const Colour colour = faded(colours_[link], age);
      paint_piece(image_, chart.frame.place(a.theta[link], a.theta_dot[link]),
                  chart.frame.place(b.theta[link], b.theta_dot[link]), thick, colour, colour);
    }
  }
}

// ---- frames

void Film::draw_backdrop(const View& view, Rect area) {
  fill_sky(backdrop_, area, look_.theme);
  Canvas canvas = Canvas::onto(backdrop_);
  canvas.clip(area);
  draw_ground(canvas, view, ground_, look_.theme);
  for (const Vec3& pivot : motion_.skeleton.pivots()) {
    const Point foot = view({pivot[0], pivot[1], ground_.center[2]}).at;
    const Colour colour = mixed(look_.theme.ground, look_.theme.muted, 0.55);
    canvas.line(view(pivot).at, foot,
                {faded(colour, 0.6), 0.0018 * look_.height, {1.0, 0.010 * look_.height}});
    canvas.disc(foot, 0.004 * look_.height, colour);
  }
  canvas.unclip();
}

void Film::draw_shadow(const View& view, const Motion& motion, std::size_t sample) {
  const Sample& now = motion.samples[sample];
  const auto below = [&](const Vec3& point) { return view({point[0], point[1], ground_.center[2]}); };
  for (std::size_t k = 0; k < now.ends.size(); ++k) {
    if (motion.skeleton.links[k].mesh >= 0) {
      const Solid solid = solid_at(motion, now, k, {});
      std::vector<Point> outline;
      for (const Vec3& corner : solid.mesh->corners) outline.push_back(below(to_world(solid, corner)).at);
      shadow_.polygon(hull(std::move(outline)));
      continue;
    }
    const Vec3& upper = upper_end(motion, now, k);
    const Seen a = below(upper), b = below(now.ends[k]);
    shadow_.line(a.at, b.at, 1.2 * rod_width_ * b.scale);
    shadow_.disc(b.at, 1.15 * bob_radius(k, b.scale));
  }
}

void Film::draw_trails(const View& view, std::size_t sample) {
  if (look_.trail <= 0.0) return;
  const double now = motion_.samples[sample].t, oldest = now - look_.trail;
  const double thick = look_.height / 210.0 * (trailing_.size() > 30 ? 0.55 : 1.0);
  const double strength = trailing_.size() > 30 ? 0.55 : 0.85;
  std::size_t first = sample;
  while (first > 0 && motion_.samples[first - 1].t >= oldest) --first;
  for (const std::size_t link : trailing_) {
    Seen before = view(motion_.samples[first].ends[link]);
    double old_age = (motion_.samples[first].t - oldest) / look_.trail;
    for (std::size_t k = first + 1; k <= sample; ++k) {
      const Seen after = view(motion_.samples[k].ends[link]);
      const double age = (motion_.samples[k].t - oldest) / look_.trail;
      paint_piece(image_, before.at, after.at, thick * (0.35 + 0.65 * age),
                  faded(colours_[link], strength * old_age * old_age),
                  faded(colours_[link], strength * age * age));
      before = after;
      old_age = age;
    }
  }
}

void Film::draw_bodies(const View& view, const Motion& motion, std::size_t sample, double presence) {
  std::vector<Solid> solids;
  for (std::size_t k = 0; k < motion.skeleton.links.size(); ++k) {
    if (motion.skeleton.links[k].mesh < 0) continue;
    const Colour colour = mixed(look_.theme.ground, colours_[k % colours_.size()], presence);
    solids.push_back(solid_at(motion, motion.samples[sample], k, colour));
  }
  const Sample& now = motion.samples[sample];
  for (const Skeleton::BodyPoint& arm : motion.skeleton.arms) {
    const auto k = static_cast<std::size_t>(arm.link);
    const Colour colour = faded(mixed(colours_[k % colours_.size()], rgb(0x000000), 0.35), presence);
    paint_line(image_, view(now.ends[k]).at, view(point_at(now, arm)).at, 0.006 * look_.height, colour,
               colour);
  }
  if (solids.empty()) return;
  Canvas canvas = Canvas::onto(image_);
  draw_solids(canvas, view, solids);
}

void Film::draw_joints(const View& view, std::size_t sample) {
  const Sample& now = motion_.samples[sample];
  const Colour ink = look_.theme.dark ? rgb(0xc9d0d9) : rgb(0x32383f);
  const double height = look_.height;
  for (const std::vector<Skeleton::BodyPoint>& curve : motion_.skeleton.curves) {
    for (std::size_t i = 1; i < curve.size(); ++i) {
      const Point a = view(point_at(now, curve[i - 1])).at, b = view(point_at(now, curve[i])).at;
      paint_line(image_, a, b, 0.0035 * height, ink, ink);
    }
  }
  for (const Skeleton::Tie& tie : motion_.skeleton.ties) {
    const Point a = view(point_at(now, tie.from)).at, b = view(point_at(now, tie.to)).at;
    if (!tie.spring) {
      paint_line(image_, a, b, 0.005 * height, ink, ink);
      continue;
    }
    constexpr int kCoils = 18;
    const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9), wide = 0.011 * height;
    Point before = a;
    for (int i = 1; i <= kCoils; ++i) {
      const double share = static_cast<double>(i) / kCoils;
      const double side = i == kCoils || i < 2 || i > kCoils - 2 ? 0.0 : (i % 2 == 0 ? wide : -wide);
      const Point next = {a.x + share * (b.x - a.x) - side * (b.y - a.y) / length,
                          a.y + share * (b.y - a.y) + side * (b.x - a.x) / length};
      paint_line(image_, before, next, 0.0028 * height, ink, ink);
      before = next;
    }
  }
  for (const Skeleton::BodyPoint& pin : motion_.skeleton.pins) {
    const Point at = view(point_at(now, pin)).at;
    paint_disc(image_, at, 0.0085 * height, look_.theme.sky);
    paint_disc(image_, at, 0.0060 * height, ink);
  }
}

void Film::draw_chain(const View& view, const Motion& motion, std::size_t sample, double presence) {
  draw_bodies(view, motion, sample, presence);
  const Sample& now = motion.samples[sample];
  struct Part {
    double depth;
    std::size_t link;
    bool is_ball;
  };
  std::vector<Seen> seen(now.ends.size());
  std::vector<Part> parts;
  parts.reserve(2 * now.ends.size());
  // Rods end at the surface of balls: which one covers the other is then right from every side.
  std::vector<std::array<Seen, 2>> rods(now.ends.size());
  for (std::size_t k = 0; k < now.ends.size(); ++k) {
    const Skeleton::Link& link = motion.skeleton.links[k];
    const bool hangs = link.parent == Skeleton::kPivot;
    const Vec3 a = upper_end(motion, now, k), b = now.ends[k];
    const double length = std::max(std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]), 1e-300);
    const auto along = [&](double share) {
      return Vec3{a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])};
    };
    const auto skipped = [&](std::size_t ball) {
      return std::min(0.45, 0.85 * ball_radius_ * relative_radius_[ball % relative_radius_.size()] / length);
    };
    seen[k] = view(b);
    if (link.mesh >= 0) continue;
    if (link.parent == Skeleton::kFree) {
      parts.push_back({seen[k].depth, k, true});
      continue;
    }
    rods[k] = {view(along(hangs ? 0.0 : skipped(static_cast<std::size_t>(link.parent)))),
               view(along(1 - skipped(k)))};
    parts.push_back({0.5 * (rods[k][0].depth + rods[k][1].depth), k, false});
    parts.push_back({seen[k].depth, k, true});
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.depth > b.depth; });
  const Colour ink = look_.theme.dark ? rgb(0xc9d0d9) : rgb(0x32383f);
  for (const Part& part : parts) {
    const std::size_t k = part.link;
    if (part.is_ball) {
      paint_ball(image_, seen[k].at, bob_radius(k, seen[k].scale),
                 faded(colours_[k % colours_.size()], presence));
      continue;
    }
    const auto& [a, b] = rods[k];
    double width = std::max(1.0, rod_width_ * 0.5 * (a.scale + b.scale));
    const bool elastic = motion.skeleton.links[k].elastic && k < now.strain.size();
    if (!elastic) {
      const Colour colour = faded(ink, presence);
      paint_line(image_, a.at, b.at, width, colour, colour);
      continue;
    }
    // The volume stays: a stretched link is thinner, by more than it really is, so that it shows.
    const double share = now.strain[k] / strain_scale_;
    width *= 1.7 * (1.0 - 0.45 * std::clamp(share, -1.0, 1.0));
    const Colour edge = faded(look_.theme.dark ? rgb(0x0b0d10) : rgb(0x50565e), presence);
    const Colour colour = faded(strain_colour(share), presence);
    paint_line(image_, a.at, b.at, width + std::max(1.5, 0.003 * look_.height), edge, edge);
    paint_line(image_, a.at, b.at, width, colour, colour);
  }
}

void Film::draw_read_out(std::size_t sample) {
  Canvas canvas = Canvas::onto(image_);
  const Sample& now = motion_.samples[sample];
  const double unit = look_.height / 36.0, x = 1.6 * unit;
  const auto word = [&](const char* english) { return in_words(english, look_.language); };
  const Colour ink = look_.theme.ink, muted = look_.theme.muted;
  if (!look_.title.empty())
    canvas.text(look_.title, {x, 2.1 * unit}, {.size = unit, .colour = ink, .bold = true});
  if (look_.read_out) {
    const double from_bottom = now.has_energy ? 4.9 : 1.6;
    double y = look_.height - from_bottom * unit;
    canvas.text(fmt::format("$t$ = {:.2f} s", now.t), {x, y}, {.size = unit, .colour = ink});
    if (now.has_energy) {
      const double size = 0.72 * unit;
      const auto line = [&](const std::string& name, const std::string& value) {
        y += 1.05 * unit;
        canvas.text(name, {x, y}, {.size = size, .colour = muted});
        canvas.text(value, {x + 11.5 * unit, y}, {.size = size, .colour = ink, .align = Align::end});
      };
      line(word("Kinetic energy"), fmt::format("${:.3f}$ J", now.kinetic));
      line(word("Potential energy"), fmt::format("${:.3f}$ J", now.potential + now.elastic));
      line(word("Energy error"), fmt::format("${}$ J", number_label(now.energy_error, 2)));
    }
  }
  for (const Chart& chart : charts_) {
    const Sample& s = now;
    const auto dot = [&](double px, double py, const Colour& colour) {
      const Point at = chart.frame.place(px, py);
      canvas.disc(at, 0.20 * unit, look_.theme.paper);
      canvas.disc(at, 0.15 * unit, colour);
    };
    if (chart.kind == SidePanel::energy) {
      dot(s.t, s.kinetic, series_colour(look_.theme, 1, 3));
      dot(s.t, s.potential + s.elastic, series_colour(look_.theme, 0, 3));
      dot(s.t, s.energy, ink);
    } else {
      for (std::size_t k = 0; k < s.theta.size(); ++k) {
        chart.kind == SidePanel::phase ? dot(s.theta[k], s.theta_dot[k], colours_[k])
                                       : dot(s.t, s.theta[k], colours_[k]);
      }
    }
  }
  texts_ = canvas.texts();
}

const Image& Film::frame(std::size_t index) {
  const std::size_t sample = std::min(index * motion_.per_frame, motion_.samples.size() - 1);
  const Gaze gaze = {gaze_.azimuth + look_.turn * static_cast<double>(index), gaze_.elevation};
  const View view = look_.turn != 0.0 ? view_->turned(gaze) : *view_;
  const bool rewound =
      std::any_of(charts_.begin(), charts_.end(), [&](const Chart& c) { return c.drawn > sample; });
  if (!backdrop_ready_ || rewound) {
    if (!charts_.empty()) {
      Canvas canvas = Canvas::onto(backdrop_);
      canvas.fill({stage_.right(), 0, look_.width - stage_.right(), static_cast<double>(look_.height)},
                  look_.theme.paper);
      for (Chart& chart : charts_) {
        chart.frame = draw_panel(chart.panel, look_.theme, canvas, chart.place, look_.height / 52.0);
        chart.drawn = 0;
      }
    }
    draw_backdrop(view, stage_);
    backdrop_ready_ = true;
  } else if (look_.turn != 0.0) {
    draw_backdrop(view, stage_);
  }
  draw_charts(sample);
  image_.pixels = backdrop_.pixels;
  draw_shadow(view, motion_, sample);
  shadow_.lay_on(image_, look_.theme.shadow);
  for (const Motion& ghost : ghosts_) {
    if (sample < ghost.samples.size()) draw_chain(view, ghost, sample, 0.28);
  }
  draw_trails(view, sample);
  draw_chain(view, motion_, sample, 1.0);
  draw_joints(view, sample);
  for (const Vec3& pivot : hooks(motion_, motion_.samples[sample])) {
    const Seen at = view(pivot);
    paint_disc(image_, at.at, std::max(2.5, 0.0075 * look_.height), look_.theme.sky);
    paint_disc(image_, at.at, std::max(2.0, 0.0058 * look_.height), look_.theme.ink);
  }
  for (const Chart& chart : charts_) {
    if (chart.kind == SidePanel::phase) draw_phase(chart, sample);
  }
  draw_read_out(sample);
  places_.clear();
  for (const Vec3& end : motion_.samples[sample].ends) places_.push_back(view(end).at);
  return image_;
}

}  // namespace catena::draw
