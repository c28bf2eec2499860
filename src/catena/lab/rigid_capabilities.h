// What rigid chains and bodies offer to the methods that need more of them than a right-hand side: joins the
// chains' geometry (dynamics) to a method's capabilities (integrate).
#pragma once

#include <optional>
#include <vector>

#include "catena/dynamics/bodies/body_action.h"
#include "catena/dynamics/world/motion_errors.h"
#include "catena/dynamics/world/rods.h"
#include "catena/dynamics/world/sphere_action.h"
#include "catena/integrate/system.h"

namespace catena {

class Multibody;

class RigidCapabilities {
 public:
  RigidCapabilities() = default;
  RigidCapabilities(const RigidCapabilities&) = delete;
  RigidCapabilities& operator=(const RigidCapabilities&) = delete;

  // Sets the capabilities that the world has. The system, whose rhs is set already, and this object must stay
  // where they are.
  void offer(World& world, System& system);

 private:
  void offer_action(const World& world, System& system);
  void offer_rods(const World& world, System& system);
  void offer_bodies(World& world, System& system);
  void offer_momenta(Multibody& bodies, System& system);
  void offer_errors(const World& world, System& system);

  std::optional<SphereAction> action_;
  std::optional<Rods> rods_;
  std::optional<BodyAction> body_action_;
  std::optional<MotionErrors> errors_;
  std::vector<double> rates_;
};

}  // namespace catena
