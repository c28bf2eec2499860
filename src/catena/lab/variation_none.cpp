// In the page, and in the first picture of the demo, nothing follows derivatives: there is a word for who
// asks.

#include "catena/base/mistake.h"
#include "catena/lab/variation.h"

namespace catena {

struct Variation::Parts {
  std::vector<Direction> directions;
  std::vector<double> none;
  std::string nothing;
};

Variation::Variation(Lab& lab, std::vector<Direction>) {
  throw InputError({lab.scene().name},
                   "derivatives are not in the page; `catena run --derivatives` has them");
}
Variation::~Variation() = default;
std::size_t Variation::count() const { return 0; }
const std::vector<Direction>& Variation::directions() const { return parts_->directions; }
std::int64_t Variation::shortened() const { return 0; }
double Variation::expand(const State&, int) { return 0.0; }
bool Variation::take(const State&) { return false; }
std::string Variation::pass_kink(State&) { return ""; }
std::string Variation::lanes_refusal() const { return parts_->nothing; }
void Variation::use_lanes() {}
bool Variation::is_of_states() const { return false; }
GaussValues Variation::squares_along_step(std::size_t, double) { return {}; }
const std::vector<double>& Variation::at(double, bool) { return parts_->none; }
void Variation::rows(double, bool, const Columns&, double*) {}
void Variation::root(double, bool, const Columns&, const std::function<double(const std::vector<double>&)>&,
                     const Columns&, double*) {}
void Variation::row_beside(Lab&, Lab&, const State&, const Columns&, double*) {}
const std::vector<double>& Variation::at_end() const { return parts_->none; }
void Variation::set(const State&, const std::vector<double>&) {}
const std::vector<double>& Variation::start_rates() const { return parts_->none; }
const std::string& Variation::notes() const { return parts_->nothing; }
void Variation::set_notes(std::string) {}
void Variation::restore(std::vector<double>, std::int64_t) {}

Scene in_unit_vectors(Scene scene) { return scene; }
std::vector<std::vector<double>> allowed_directions(Lab&) { return {}; }

}  // namespace catena
