// Copying and ending what scenes consist of: once, and compiled quickly.
#include "catena/model/scene.h"

namespace catena {

Scene::Scene() = default;
Scene::Scene(const Scene&) = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(const Scene&) = default;
Scene& Scene::operator=(Scene&&) noexcept = default;
Scene::~Scene() = default;

Mechanism::Mechanism() = default;
Mechanism::Mechanism(const Mechanism&) = default;
Mechanism::Mechanism(Mechanism&&) noexcept = default;
Mechanism& Mechanism::operator=(const Mechanism&) = default;
Mechanism& Mechanism::operator=(Mechanism&&) noexcept = default;
Mechanism::~Mechanism() = default;

Lagrangian::Lagrangian() = default;
Lagrangian::Lagrangian(const Lagrangian&) = default;
Lagrangian::Lagrangian(Lagrangian&&) noexcept = default;
Lagrangian& Lagrangian::operator=(const Lagrangian&) = default;
Lagrangian& Lagrangian::operator=(Lagrangian&&) noexcept = default;
Lagrangian::~Lagrangian() = default;

ForceEntry::ForceEntry() = default;
ForceEntry::ForceEntry(const ForceEntry&) = default;
ForceEntry::ForceEntry(ForceEntry&&) noexcept = default;
ForceEntry& ForceEntry::operator=(const ForceEntry&) = default;
ForceEntry& ForceEntry::operator=(ForceEntry&&) noexcept = default;
ForceEntry::~ForceEntry() = default;

}  // namespace catena
