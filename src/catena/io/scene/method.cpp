// [method]: a Runge-Kutta table of the user's own, checked against the order conditions.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "catena/base/words.h"
#include "catena/io/scene/parts.h"
#include "catena/math/order_conditions.h"

namespace catena {
namespace {

constexpr std::size_t kMostStages = 64;
// Coefficients written with all their digits, or as fractions, sum up to within a few roundings.
constexpr double kRounding = 1e-13;

double sum_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum;
}

double size_of(const std::vector<double>& values) {
  double size = 1.0;
  for (const double value : values) size += std::fabs(value);
  return size;
}

class Checker {
 public:
  Checker(const Node& node, MethodEntry& entry, Mistakes& mistakes)
      : node_(node), entry_(entry), mistakes_(mistakes), stages_(entry.b.size()) {}

  void check() {
    if (stages_ == 0) return complain(*node_.find("b"), "b is empty; a method has at least one stage");
    if (stages_ > kMostStages) {
      return complain(*node_.find("b"),
                      fmt::format("b has {} stages, more than the limit of {}", stages_, kMostStages));
    }
    check_rows();
    check_times();
    check_weights("b", entry_.b);
    if (node_.find("b_hat") != nullptr) check_estimate();
  }

 private:
  void complain(const Node& at, const std::string& what) { mistakes_.add(at.spot, "method: " + what); }

  // Rows may be as long as the stages before them, or as long as all, with zeros at the end.
  void check_rows() {
    const Node& a = *node_.find("a");
    if (entry_.a.size() != stages_) {
      complain(a,
               fmt::format("a has {} rows, but b has {} weights: one row per stage, the first one empty, []",
                           entry_.a.size(), stages_));
      return;
    }
    for (std::size_t i = 0; i < stages_; ++i) {
      std::vector<double>& row = entry_.a[i];
      const Node& at = (*a.list())[i];
      if (row.size() != i && row.size() != stages_) {
        complain(at, fmt::format("row {} of a has {} entries; it needs {}, one per stage before, or {}",
                                 i + 1, row.size(), i, stages_));
      }
      for (std::size_t j = i; j < row.size(); ++j) {
        if (row[j] == 0.0) continue;
        complain(
            (*at.list())[j],
            fmt::format("row {} of a uses stage {}, which is not known yet: only explicit methods can be "
                        "given; gauss4 and radau5 are implicit ones",
                        i + 1, j + 1));
      }
      if (row.size() > i) row.resize(i);
    }
  }

  void check_times() {
    if (entry_.a.size() != stages_) return;
    const Node* c = node_.find("c");
    if (c == nullptr) {
      for (const std::vector<double>& row : entry_.a) entry_.c.push_back(sum_of(row));
      return;
    }
    if (entry_.c.size() != stages_) {
      return complain(*c, fmt::format("c has {} entries, but b has {} weights: one per stage, or leave c out",
                                      entry_.c.size(), stages_));
    }
    for (std::size_t i = 0; i < stages_; ++i) {
      const double sum = sum_of(entry_.a[i]);
      if (std::fabs(sum - entry_.c[i]) <= kRounding * size_of(entry_.a[i])) continue;
      complain(
          (*c->list())[i],
          fmt::format("c[{}] is {}, but row {} of a sums to {}: they must agree; write fractions as text, "
                      "\"1/3\", or leave c out",
                      i + 1, number_text(entry_.c[i]), i + 1, number_text(sum)));
    }
  }

  void check_weights(const char* key, const std::vector<double>& weights) {
    const double sum = sum_of(weights);
    if (std::fabs(sum - 1.0) <= kRounding * size_of(weights)) return;
    complain(
        *node_.find(key),
        fmt::format("{} sums to {}, but must sum to 1, or the method does not converge; write fractions as "
                    "text, \"1/3\"",
                    key, number_text(sum)));
  }

  void check_estimate() {
    const Node& at = *node_.find("b_hat");
    if (entry_.b_hat.size() != stages_) {
      return complain(
          at, fmt::format("b_hat has {} weights, but b has {}: one per stage", entry_.b_hat.size(), stages_));
    }
    check_weights("b_hat", entry_.b_hat);
    if (entry_.b_hat == entry_.b) {
      complain(at, "b_hat equals b, so it estimates no error; leave it out for a fixed step");
    }
  }

  const Node& node_;
  MethodEntry& entry_;
  Mistakes& mistakes_;
  std::size_t stages_;
};

}  // namespace

std::optional<RungeKuttaTable> read_method(const Node& scene, Mistakes& mistakes) {
  const Node* node = scene.find("method");
  if (node == nullptr) return std::nullopt;
  const std::size_t before = mistakes.count();
  MethodEntry entry;
  read_fields(*node, "method", method_fields(), {}, entry, mistakes);
  if (mistakes.count() == before) Checker(*node, entry, mistakes).check();
  if (mistakes.count() > before) return std::nullopt;
  RungeKuttaTable table{entry.a, entry.b, entry.b_hat, entry.c};
  table.order = measured_order(table.a, table.b);
  if (!table.b_hat.empty()) table.hat_order = measured_order(table.a, table.b_hat);
  return table;
}

}  // namespace catena
