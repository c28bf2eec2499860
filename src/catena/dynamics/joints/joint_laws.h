// Forces in joints as their laws.
#pragma once

#include "catena/dynamics/joints/force_lanes.h"

namespace catena {

// Springs, damping, friction and limits that a force may have, as bits: laws leave out what no lane has.
unsigned law_parts(const JointForce& force);

// The numbers of a lane that the law reads.
std::vector<double> law_numbers(const JointForce& force);
// What doubles cannot hold of them: they stand for their decimals.
std::vector<double> law_number_rests(const JointForce& force);

LawMaker passive_law(JointForce::Along along, unsigned parts);

// The joints whose coordinates a drive names. Their pairs of sides follow those of the driven joint.
std::vector<int> joints_named_in(const JointForce& force, const Mechanism& mechanism);

// Whether it damps, rubs, or is driven by a formula of rates.
bool depends_on_rates(const JointForce& force, const Mechanism& mechanism);

LawMaker driven_law(const JointForce& force, const Mechanism& mechanism, const std::vector<int>& others);

// What a motor asks for at an instant.
// The formula of a motor, for looking at it between two instants.
expr::SampledFormulas sampled_motion(const JointMotor& motor);

double motion_at(const JointMotor& motor, double t);

// q - motion(t) = 0, of angles up to whole turns
std::vector<expr::Expression> motor_equation(const JointMotor& motor, Coordinate coordinate,
                                             const JointSymbols& symbols);

}  // namespace catena
