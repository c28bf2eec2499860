#include "commands/branch_curves.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace catena::cli {

std::vector<draw::Curve> branch_curves(const Continuation& along, const draw::Theme& theme) {
  std::vector<draw::Curve> out;
  for (std::size_t b = 0; b < along.branches.size(); ++b) {
    const Branch& branch = along.branches[b];
    const draw::Colour colour = draw::series_colour(theme, b, along.branches.size());
    const std::size_t levels = branch.points.empty() ? 0 : branch.points[0].levels.size();
    bool named = false;
    for (std::size_t level = 0; level < levels; ++level) {
      // A stretch is stable where both of its ends are.
      for (std::size_t k = 0; k + 1 < branch.points.size();) {
        const auto stable = [&](std::size_t at) {
          return branch.points[at].stable && branch.points[at + 1].stable;
        };
        const bool solid = stable(k);
        draw::Curve curve{.colour = colour, .points = {}, .dashed = !solid};
        if (!named && solid) curve.name = fmt::format("branch {}", b + 1), named = true;
        const auto add = [&](const BranchPoint& point) {
          if (point.levels.size() > level) curve.points.push_back({point.parameter, point.levels[level]});
        };
        add(branch.points[k]);
        for (; k + 1 < branch.points.size() && stable(k) == solid; ++k) add(branch.points[k + 1]);
        out.push_back(std::move(curve));
      }
    }
  }
  const std::vector<std::pair<SpecialKind, draw::Marker>> marks = {
      {SpecialKind::fold, draw::Marker::square},
      {SpecialKind::branch, draw::Marker::diamond},
      {SpecialKind::doubling, draw::Marker::disc},
      {SpecialKind::torus, draw::Marker::triangle}};
  for (const auto& [kind, marker] : marks) {
    draw::Curve curve{.name = special_text(kind), .colour = theme.ink, .points = {}, .width = 0.0};
    curve.marker = marker;
    for (const SpecialPoint& point : along.special) {
      for (const double level : point.levels) {
        if (point.kind != kind) continue;
        if (!curve.points.empty()) curve.points.push_back({NAN, NAN});
        curve.points.push_back({point.parameter, level});
      }
    }
    if (!curve.points.empty()) out.push_back(std::move(curve));
  }
  return out;
}

}  // namespace catena::cli
