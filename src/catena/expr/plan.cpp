#include "catena/expr/plan.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

namespace catena::expr {
namespace {

enum class Course : std::uint8_t { zero, steady, live };

class Planner {
 public:
  Planner(const Lowered& program, const std::vector<char>& steady, const std::vector<char>& live,
          Purpose purpose)
      : program_(program), purpose_(purpose), course_(static_cast<std::size_t>(program.rows), Course::live) {
    plan_.row.resize(course_.size());
    std::iota(plan_.row.begin(), plan_.row.end(), 0);
    for (std::size_t row = 0; row < course_.size(); ++row) {
      if (steady[row]) course_[row] = Course::steady;
    }
    for (std::size_t input = 0; input < live.size(); ++input) {
      if (!live[input]) course_[input] = Course::zero;
    }
  }

  Plan made(const std::vector<char>& wanted) {
    for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
      const Instruction& in = program_.instructions[i];
      of(in.out) == Course::live ? consider(in, i) : consider_steady(in);
    }
    drop_unwanted(wanted);
    return std::move(plan_);
  }

 private:
  Course of(int row) const { return course_[static_cast<std::size_t>(row)]; }
  int same(int row) const { return row == kNoRow ? kNoRow : plan_.row[static_cast<std::size_t>(row)]; }
  void settle(const Instruction& in, Course course, std::size_t at) {
    course_[static_cast<std::size_t>(in.out)] = course;
    if (course == Course::steady && purpose_ == Purpose::values) keep(in, at);
  }
  void equate(const Instruction& in, int row) { plan_.row[static_cast<std::size_t>(in.out)] = row; }

  void keep(const Instruction& in, std::size_t at) {
    plan_.instructions.push_back(in);
    plan_.index.push_back(at);
  }

  void consider(Instruction in, std::size_t at) {
    in.a = same(in.a);
    in.b = same(in.b);
    in.c = same(in.c);
    in.second = same(in.second);
    switch (in.code) {
      case Code::add:
      case Code::subtract:
        return consider_sum(in, at);
      case Code::multiply:
        return consider_product(in, at);
      case Code::weigh:
      case Code::square:
      case Code::scale:
      case Code::negate:
      case Code::divide_by:
        return of(in.a) == Course::live ? keep(in, at) : settle(in, of(in.a), at);
      case Code::offset:
      case Code::from:
        return of(in.a) == Course::live ? keep(in, at) : settle(in, Course::steady, at);
      default:
        return keep(in, at);
    }
  }

  // What is steady, and computed at order 0 alone, may be zero, or equal to something else, all the same.
  void consider_steady(const Instruction& in) {
    const int a = same(in.a), b = same(in.b);
    const auto is_zero = [&](int row) { return of(row) == Course::zero; };
    Course& out = course_[static_cast<std::size_t>(in.out)];
    switch (in.code) {
      case Code::add:
      case Code::subtract:
        if (is_zero(a) && is_zero(b)) {
          out = Course::zero;
        } else if (is_zero(b)) {
          equate(in, a);
        } else if (is_zero(a) && in.code == Code::add) {
          equate(in, b);
        }
        return;
      case Code::multiply:
        if (is_zero(a) || is_zero(b)) out = Course::zero;
        return;
      case Code::weigh:
      case Code::square:
      case Code::scale:
      case Code::negate:
      case Code::divide_by:
        if (is_zero(a)) out = Course::zero;
        return;
      default:
        return;
    }
  }

  void consider_sum(Instruction in, std::size_t at) {
    const Course a = of(in.a), b = of(in.b);
    if (a == Course::zero && b == Course::zero) return settle(in, Course::zero, at);
    if (b == Course::zero) return equate(in, in.a);
    if (a == Course::zero && in.code == Code::add) return equate(in, in.b);
    if (a != Course::live && b != Course::live) return settle(in, Course::steady, at);
    if (a == Course::zero) {
      in.code = Code::negate;
      in.a = std::exchange(in.b, kNoRow);
    }
    keep(in, at);
  }

  void consider_product(Instruction in, std::size_t at) {
    const Course a = of(in.a), b = of(in.b);
    if (a == Course::zero || b == Course::zero) return settle(in, Course::zero, at);
    if (a == Course::steady && b == Course::steady) return settle(in, Course::steady, at);
    if (a == Course::steady) std::swap(in.a, in.b);
    if (a == Course::steady || b == Course::steady) in.code = Code::weigh;
    keep(in, at);
  }

  void drop_unwanted(const std::vector<char>& wanted) {
    std::vector<char> needed(course_.size(), 0);
    const auto need = [&](int row) {
      if (row != kNoRow) needed[static_cast<std::size_t>(same(row))] = 1;
    };
    for (std::size_t o = 0; o < wanted.size(); ++o) {
      if (wanted[o]) need(program_.outputs[o]);
    }
    for (const int row : program_.switch_rows) need(row);
    Plan kept;
    kept.row = plan_.row;
    for (std::size_t i = plan_.instructions.size(); i-- > 0;) {
      const Instruction& in = plan_.instructions[i];
      const bool second = in.second != kNoRow && needed[static_cast<std::size_t>(in.second)];
      if (!needed[static_cast<std::size_t>(in.out)] && !second) continue;
      for (const int row : std::array{in.a, in.b, in.c, in.second}) need(row);
      kept.instructions.push_back(in);
      kept.index.push_back(plan_.index[i]);
    }
    std::reverse(kept.instructions.begin(), kept.instructions.end());
    std::reverse(kept.index.begin(), kept.index.end());
    plan_ = std::move(kept);
  }

  const Lowered& program_;
  Purpose purpose_;
  std::vector<Course> course_;
  Plan plan_;
};

}  // namespace

Plan plan_series(const Lowered& program, const std::vector<char>& steady, const std::vector<char>& live,
                 const std::vector<char>& wanted) {
  return Planner(program, steady, live, Purpose::series).made(wanted);
}

Plan plan_values(const Lowered& program, const std::vector<char>& live) {
  const std::vector<char> none(static_cast<std::size_t>(program.rows), 0);
  return Planner(program, none, live, Purpose::values).made(std::vector<char>(program.outputs.size(), 1));
}

}  // namespace catena::expr
