// Which figures and quantities a person means: kinds, words of `--quantities`, switches of the classic
// config.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/plot/run_columns.h"
#include "catena/draw/plot/run_figures.h"

namespace catena::draw {
namespace {

Choice whole(const RunColumn& column) { return {column.stem, {}, column.label.empty()}; }

bool same(const Choice& a, const Choice& b) {
  return a.stem == b.stem && a.total == b.total && a.labels == b.labels;
}

void add(std::vector<Choice>& choices, const Choice& choice) {
  const bool known =
      std::any_of(choices.begin(), choices.end(), [&](const Choice& c) { return same(c, choice); });
  if (!known) choices.push_back(choice);
}

// As `catena run --quantities` understands it: a single column first, then stems and groups, then x_2.
bool take(const std::string& word, const RunColumns& columns, std::vector<Choice>& choices) {
  for (const RunColumn& column : columns) {
    if (column.label.empty() && column.stem == word) return add(choices, whole(column)), true;
  }
  bool found = false;
  for (const std::string& group : {word, word + "s"}) {
    const std::vector<std::string> stems = stems_of_group(group);
    for (const RunColumn& column : columns) {
      if (std::find(stems.begin(), stems.end(), column.quantity) == stems.end()) continue;
      add(choices, whole(column));
      found = true;
    }
  }
  for (const RunColumn& column : columns) {
    if (column.index > 0 && (column.stem == word || column.quantity == word)) {
      add(choices, whole(column));
      found = true;
    }
  }
  if (found) return true;
  for (const RunColumn& column : columns) {
    if (!column.label.empty() && column.stem + "_" + column.label == word) {
      return add(choices, {column.stem, {column.label}, false}), true;
    }
  }
  return false;
}

std::string remedy(const std::string& word, const RunColumns& columns) {
  std::set<std::string> known{"all"};
  for (const RunColumn& column : columns) {
    known.insert(column.stem);
    if (!column.label.empty()) known.insert(column.stem + "_" + column.label);
  }
  for (const std::string& group : group_names()) known.insert(group);
  const bool exists = find_quantity(word, true) != nullptr || find_quantity(word, false) != nullptr ||
                      !stems_of_group(word).empty();
  if (exists)
    return ": it was not recorded; `catena run` records everything unless --quantities says otherwise";
  const std::string near = did_you_mean(word, {known.begin(), known.end()});
  return near.empty() ? ": `catena list quantities` shows what there is" : near;
}

// One switch of the classic config: component i of it is stem i.
struct ClassicSwitch {
  std::string_view name;
  std::array<std::string_view, 3> stems;
  bool total = false;
};

constexpr std::array kClassic = {
    ClassicSwitch{"x", {"x", "y", "z"}},
    ClassicSwitch{"v", {"vx", "vy", "vz"}},
    ClassicSwitch{"LM", {"px", "py", "pz"}},
    ClassicSwitch{"AM", {"lx", "ly", "lz"}},
    ClassicSwitch{"totalLM", {"px_total", "py_total", "pz_total"}, true},
    ClassicSwitch{"totalAM", {"lx_total", "ly_total", "lz_total"}, true},
    ClassicSwitch{"pos", {"theta", "phi"}},
    ClassicSwitch{"vel", {"theta_dot", "phi_dot"}},
    ClassicSwitch{"pole", {"pole"}},
    ClassicSwitch{"KE", {"kinetic"}},
    ClassicSwitch{"PE", {"potential"}},
    ClassicSwitch{"ME", {"energy"}},
    ClassicSwitch{"totalKE", {"kinetic"}, true},
    ClassicSwitch{"totalPE", {"potential"}, true},
    ClassicSwitch{"totalME", {"energy"}, true},
    ClassicSwitch{"absLM", {"p"}},
    ClassicSwitch{"absAM", {"l"}},
    ClassicSwitch{"absTotalLM", {"p_total"}, true},
    ClassicSwitch{"absTotalAM", {"l_total"}, true},
};

}  // namespace

const std::vector<std::string>& figure_kinds() {
  static const std::vector<std::string> kinds = {"paths",    "projections", "angles", "energies", "phase",
                                                 "adjacent", "reactions",   "run",    "steps"};
  return kinds;
}

const std::vector<std::string>& default_kinds() {
  static const std::vector<std::string> kinds = {"paths", "angles", "energies", "phase"};
  return kinds;
}

bool shows_curves(const std::string& kind) {
  return kind == "paths" || kind == "projections" || kind == "phase" || kind == "adjacent";
}

std::vector<Choice> choices_for(const std::vector<std::string>& words, const std::vector<Stem>& stems,
                                const std::string& source) {
  const RunColumns columns(stems);
  std::vector<Choice> choices;
  std::vector<Mistake> mistakes;
  for (const std::string& word : words) {
    if (word == "t") continue;
    if (word == "all") {
      for (const RunColumn& column : columns) {
        if (column.index > 0) add(choices, whole(column));
      }
    } else if (!take(word, columns, choices)) {
      mistakes.push_back(
          {{"--quantities"}, fmt::format("{} has no '{}'{}", source, word, remedy(word, columns))});
    }
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  return choices;
}

std::vector<Choice> classic_choices(const std::vector<PlotSwitch>& switches, const std::vector<Stem>& stems) {
  const RunColumns columns(stems);
  std::vector<Choice> choices;
  for (const PlotSwitch& one : switches) {
    for (const ClassicSwitch& known : kClassic) {
      if (known.name != one.name) continue;
      for (std::size_t i = 0; i < one.on.size() && i < known.stems.size(); ++i) {
        if (!one.on[i]) continue;
        for (const RunColumn& column : columns) {
          if (column.quantity == known.stems[i] && column.item.empty() == known.total)
            add(choices, whole(column));
        }
      }
    }
  }
  return choices;
}

}  // namespace catena::draw
