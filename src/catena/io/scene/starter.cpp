#include <fmt/format.h>

#include "catena/io/scene/scene.h"

namespace catena {

std::string starter_scene(std::string_view name) {
  std::string comment;  // a name could hold anything; a comment is one line
  for (const char c : name) comment += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  return fmt::format(R"(# {}
#
# Three links swinging in space. z is up, gravity points to -z, units are SI.
# Angles: radians as plain numbers, or text with a unit ("120 deg", "0.25 pi").

[simulation]
duration = 20.0            # seconds to simulate
sample = 0.01              # seconds between recorded rows
gravity = 9.81             # or a vector: [0, 0, -9.81]
method = "taylor"          # `catena list methods` names them all
# tolerance = 1e-15        # error per step; taylor's default is 1e-15

[chain]
pivot = [0, 0, 0]          # where the chain hangs

# From the pivot to the tip. theta is measured from straight down, phi around the vertical:
# a link points to (sin theta cos phi, sin theta sin phi, -cos theta).

[[chain.links]]
length = 1.0               # m
mass = 1.0                 # kg, at the link's end
theta = "120 deg"
phi = "30 deg"

[[chain.links]]
length = 0.8
mass = 0.6
theta = "90 deg"
phi = "0.5 pi"
phi_dot = 1.5              # rad/s

[[chain.links]]
length = 0.5
mass = 0.3
theta = "60 deg"
phi = "200 deg"
theta_dot = -0.5

# A link may also be a uniform rod (inertia = "rod"), stand for many (repeat = 10), or hang from
# an earlier link to make a tree (parent = 1). `catena schema` has everything.
)",
                     comment);
}

}  // namespace catena
