// What is known about Lyapunov exponents beforehand: their sum, how many are zero, and which come in pairs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/analyze/growth_record.h"
#include "catena/analyze/liouville.h"
#include "catena/analyze/lyapunov.h"
#include "catena/analyze/tangent_frame.h"

namespace catena {

// What the exponents of a regular motion may still be after a time: neighbours part like t, (1 + log T)/T.
double order_bound(double duration);

// Whether the equations do not know what time it is.
bool is_autonomous(Lab& lab);
// Whether nothing moves and nothing is about to.
bool is_at_rest(Lab& lab);

// Collects along a motion what the checks need.
class AlongTheWay {
 public:
  explicit AlongTheWay(Lab& lab);

  void begin(Lab& lab, const TangentFrame& frame);
  void look(Lab& lab, const TangentFrame& frame);
  // The step that was looked at last counts; before that it may be taken again.
  void keep();
  // `is_first`: says what is the same for all motions, too.
  void conclude(Lab& lab, const TangentFrame& frame, const GrowthRecord& record, bool is_first,
                LyapunovResult& out);

  void write(ByteWriter& out) const;
  void read(ByteReader& in);

 private:
  double divergence(Lab& lab, double t, const std::vector<double>& x) const;
  double mean_divergence(Lab& lab) const;
  void check_sum(Lab& lab, const TangentFrame& frame, const GrowthRecord& record, LyapunovResult& out) const;
  void check_zeros(LyapunovResult& out, std::size_t integrals) const;
  void check_pairs(LyapunovResult& out) const;
  std::size_t integrals(Lab& lab) const;
  bool keeps_energy(Lab& lab) const;

  LiouvilleDensity density_;
  bool autonomous_, at_rest_, of_equations_;
  double start_speed_;                    // largest rate of a lane where the motion began
  bool counts_all_ = false;               // the frame has all directions
  std::optional<double> constant_;        // divergence, where it is the same everywhere
  double start_density_ = 0.0;            // log rho
  double divergence_ = 0.0, last_ = 0.0;  // integral, and over the last step
  std::vector<std::string> names_;        // columns that may be constant
  std::vector<double> least_, most_;      // of each
  double looks_ = 0.0, looking_ = 0.0;
};

}  // namespace catena
