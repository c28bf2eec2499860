// The linear equations of implicit methods for elastic chains under force laws, (s I - J) (dx, dv) = (p, q):
// see SpringBlocks. Laws that act on each mass by its own place and velocity enter its block; laws that
// couple masses across the chain or between chains (joints, springs, charges) make the whole a sparse system,
// whose elimination stays linear in the number of links where they reach only neighbours.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

#include "catena/dynamics/chain/solvers/spring_blocks.h"
#include "catena/dynamics/laws/law_group.h"

namespace catena {

class ImplicitSprings {
 public:
  // A chain's own equations and where its lanes are. One of the two is null.
  struct Part {
    SpringBlocks<2>* planar = nullptr;
    SpringBlocks<3>* spatial = nullptr;
    const ChainLinks* links = nullptr;
    std::size_t offset = 0;

    std::size_t components() const { return planar != nullptr ? 2 : 3; }
  };

  ImplicitSprings();
  ~ImplicitSprings();
  // A copy starts anew: what is factored belongs to the chains that it was made for.
  ImplicitSprings(const ImplicitSprings&) : ImplicitSprings() {}
  ImplicitSprings(ImplicitSprings&&) noexcept;
  ImplicitSprings& operator=(ImplicitSprings&&) noexcept;

  // Takes up the state and what the laws' forces change by near it.
  void linearise(const std::vector<Part>& parts, const std::vector<LawSlope>& slopes, const double* x);
  bool factor(double real_shift, std::complex<double> complex_shift);
  // Each replaces the right-hand side, in lanes as the state, by the solution.
  void solve_real(double* b);
  void solve_complex(double* re, double* im);

 private:
  template <class T>
  struct Factors;
  // -dF/dx and -dF/dv of one component of force by one of place and velocity.
  struct Entry {
    int row = 0, column = 0;
    double stiffness = 0.0, damping = 0.0;
  };

  template <class Call>
  void for_parts(Call&& call);
  void number_rows();
  int row_of(int chain, int link, int component) const;
  template <class Add>
  void spread(const LawSlope& slope, Add&& add) const;
  bool couples(const LawSlope& slope) const;
  void gather(const std::vector<LawSlope>& slopes);
  template <class T>
  bool factor_with(T shift, Factors<T>& factors);
  template <class T, class Get, class Put>
  void solve_with(Factors<T>& factors, Get get, Put put);

  std::vector<Part> parts_;
  bool coupled_ = false;
  std::vector<int> first_row_;                   // of each chain
  std::vector<std::size_t> lanes_, rate_lanes_;  // of each row
  std::vector<double> masses_;                   // of each row
  std::vector<Entry> entries_;
  std::unique_ptr<Factors<double>> real_;
  std::unique_ptr<Factors<std::complex<double>>> complex_;
};

}  // namespace catena
