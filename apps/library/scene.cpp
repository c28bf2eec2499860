// Scenes as documents: what code adds goes into the same tables that files have, and is read by the same
// reader.
#include <fmt/format.h>

#include "catena/base/version.h"
#include "catena/base/words.h"
#include "catena/io/scene/document.h"
#include "inside.h"

namespace catena {

v0::Error as_error(const InputError& error) {
  std::vector<Problem> problems;
  for (const Mistake& mistake : error.mistakes())
    problems.push_back({mistake.place.source, mistake.place.line, mistake.place.column, mistake.message});
  return v0::Error(std::move(problems), error.what());
}

engine::Scene v0::Scene::Inside::read() const {
  std::vector<Override> given;
  for (const std::string& assignment : overrides) given.push_back({assignment, assignment});
  engine::Scene scene = scene_with(SceneText{document.dump(), name, name}, given, {});
  scene.simulation.function = function;
  return scene;
}

inline namespace v0 {
namespace {

// As the values of `--set` are written.
std::string toml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

std::string version() { return std::string(this_version()); }
std::vector<std::string> methods() { return method_names(); }
std::vector<std::string> shipped_scenes() { return engine::shipped_names(); }

Error::Error(std::vector<Problem> problems, const std::string& text)
    : std::runtime_error(text), problems_(std::move(problems)) {}

Scene::Scene() : inside_(std::make_unique<Inside>()) { inside_->document["simulation"]["duration"] = 10.0; }
Scene::~Scene() = default;
Scene::Scene(const Scene& other) : inside_(std::make_unique<Inside>(*other.inside_)) {}
Scene& Scene::operator=(const Scene& other) {
  *inside_ = *other.inside_;
  return *this;
}
Scene::Scene(Scene&& other) noexcept = default;
Scene& Scene::operator=(Scene&& other) noexcept = default;

namespace {

nlohmann::ordered_json understood(const SceneText& text) {
  return with_errors([&] { return nlohmann::ordered_json::parse(scene_with(text, {}, {}).json); });
}

}  // namespace

Scene Scene::from_text(const std::string& text, const std::string& name) {
  Scene out;
  out.inside_->document = understood({text, name, name});
  out.inside_->name = name;
  return out;
}

Scene Scene::from_file(const std::string& path) {
  return with_errors([&] {
    const std::string text = read_scene_text(path);
    Scene out;
    out.inside_->document = understood({text, path, name_from_path(path)});
    out.inside_->name = name_from_path(path);
    return out;
  });
}

Scene Scene::shipped(const std::string& name) {
  const ShippedScene* found = find_shipped_scene(name);
  if (found == nullptr)
    throw as_error(InputError({}, fmt::format("there is no shipped scene '{}'{}", name,
                                              did_you_mean(name, engine::shipped_names()))));
  return from_text(std::string(found->text), name);
}

Scene& Scene::set(const std::string& path, double value) {
  inside_->overrides.push_back(path + "=" + number_text(value));
  return *this;
}

Scene& Scene::set(const std::string& path, const std::string& text) {
  inside_->overrides.push_back(path + "=" + toml_text(text));
  return *this;
}

Scene& Scene::set(const std::string& path, const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(number_text(value));
  inside_->overrides.push_back(fmt::format("{}=[{}]", path, fmt::join(texts, ", ")));
  return *this;
}

Scene& Scene::add_link(const Link& link) {
  nlohmann::ordered_json entry = {{"length", link.length}, {"mass", link.mass}};
  const auto add = [&](const char* key, double value) {
    if (value != 0.0) entry[key] = value;
  };
  add("theta", link.theta);
  add("phi", link.phi);
  add("theta_dot", link.theta_dot);
  add("phi_dot", link.phi_dot);
  inside_->document["chain"]["links"].push_back(std::move(entry));
  return *this;
}

Scene& Scene::add(const std::string& list, const std::string& table) {
  const auto entry =
      with_errors([&] { return nlohmann::ordered_json::parse(json_text(document_from(table, list))); });
  inside_->document[list].push_back(entry);
  return *this;
}

Scene& Scene::add_force(const std::function<ForceVector(const ForceInputs&)>& force,
                        const std::vector<std::string>& on) {
  const ForceVector formulas = force(ForceInputs{});
  nlohmann::ordered_json entry = {{"kind", "formula"},
                                  {"force", {formulas.x.text(), formulas.y.text(), formulas.z.text()}}};
  if (!on.empty()) entry["on"] = on;
  inside_->document["forces"].push_back(std::move(entry));
  return *this;
}

Scene& Scene::add_event(const std::string& name, const std::string& when, const std::string& direction,
                        int stop) {
  nlohmann::ordered_json entry = {{"name", name}, {"when", when}, {"direction", direction}};
  if (stop > 0) entry["stop"] = stop;
  inside_->document["events"].push_back(std::move(entry));
  return *this;
}

Scene& Scene::use(Integrator integrator) {
  auto function = std::make_shared<StepFunction>();
  function->name = integrator.name;
  function->order = integrator.order;
  function->take = std::move(integrator.step);
  inside_->function = std::move(function);
  return *this;
}

void Scene::check() const {
  with_errors([&] { return Lab(inside_->read()).dimension(); });
}

std::string Scene::toml() const {
  return with_errors([&] { return scene_as_toml(inside_->read().json); });
}

std::string Scene::json() const {
  return with_errors([&] { return scene_as_json(inside_->read().json); });
}

}  // namespace v0
}  // namespace catena
