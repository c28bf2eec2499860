// Catena as a library: scenes in, motions out. This header is all there is; it needs no other of ours.
//
//   catena::Run run = catena::run(catena::Scene::from_file("chain.toml"));
//   const std::vector<double>& x = run.column("x_2");
//
// What is wrong in a scene is thrown as catena::Error, all mistakes at once. What goes wrong in a motion is
// told by what comes back.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define CATENA_EXPORT __attribute__((visibility("default")))

namespace catena {
inline namespace v0 {

// The version of the library that runs: three numbers with dots between.
CATENA_EXPORT std::string version();
// What `method` of a scene may name.
CATENA_EXPORT std::vector<std::string> methods();
// Scenes inside the library, for Scene::shipped.
CATENA_EXPORT std::vector<std::string> shipped_scenes();

// One mistake in what was given. Lines and columns count from 1; 0 means unknown.
struct Problem {
  std::string source;  // a file, or what the scene is called
  int line = 0;
  int column = 0;
  std::string message;  // what is wrong, and what would be right
};

// All mistakes of one input at once; what() has them in words, a line each.
class CATENA_EXPORT Error : public std::runtime_error {
 public:
  explicit Error(std::vector<Problem> problems, const std::string& text);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

// A formula that is written by computing with it: Formula("x") + 2 * sin(Formula("t")). Whatever a scene
// gives as text can be made so; the motion has its exact series, in every precision.
class CATENA_EXPORT Formula {
 public:
  Formula(double number);
  explicit Formula(const char* text);
  explicit Formula(std::string text);
  const std::string& text() const { return text_; }

  friend CATENA_EXPORT Formula operator+(const Formula& a, const Formula& b);
  friend CATENA_EXPORT Formula operator-(const Formula& a, const Formula& b);
  friend CATENA_EXPORT Formula operator*(const Formula& a, const Formula& b);
  friend CATENA_EXPORT Formula operator/(const Formula& a, const Formula& b);
  friend CATENA_EXPORT Formula operator-(const Formula& a);

 private:
  std::string text_;
};

// Any function of `catena list functions`, by its name: call("atan2", {y, x}).
CATENA_EXPORT Formula call(const std::string& function, const std::vector<Formula>& arguments);
CATENA_EXPORT Formula pow(const Formula& base, const Formula& exponent);
CATENA_EXPORT Formula sqrt(const Formula& x);
CATENA_EXPORT Formula sin(const Formula& x);
CATENA_EXPORT Formula cos(const Formula& x);
CATENA_EXPORT Formula tan(const Formula& x);
CATENA_EXPORT Formula exp(const Formula& x);
CATENA_EXPORT Formula log(const Formula& x);
CATENA_EXPORT Formula tanh(const Formula& x);
CATENA_EXPORT Formula abs(const Formula& x);

// What a force may depend on: the time, where the mass is, how fast it moves, its mass and charge.
struct ForceInputs {
  Formula t{"t"}, x{"x"}, y{"y"}, z{"z"}, vx{"vx"}, vy{"vy"}, vz{"vz"}, speed{"speed"}, m{"m"}, q{"q"};
};
// Its components along the axes of the world, in N.
struct ForceVector {
  Formula x = 0.0, y = 0.0, z = 0.0;
};

// One link of a chain: from its upper joint to its end. Angles in radians from straight down.
struct Link {
  double length = 1.0;  // m
  double mass = 1.0;    // kg
  double theta = 0.0;
  double phi = 0.0;
  double theta_dot = 0.0;  // rad/s
  double phi_dot = 0.0;
};

// A method of one's own: a step of length h as a function, from x at t to `end` at t + h.
struct Integrator {
  using Rates = std::function<void(double t, const double* x, double* dx)>;
  std::string name;
  int order = 1;  // what is told of it; the motion between two steps is one order better
  std::function<void(const Rates& rates, std::size_t dimension, double t, const double* x, double h,
                     double* end)>
      step;
};

// What is to move: a scene as the guide tells, read or built in code. Values, not references: a copy is a
// scene of its own.
class CATENA_EXPORT Scene {
 public:
  Scene();  // without anything in it: 10 s
  static Scene from_file(const std::string& path);
  static Scene from_text(const std::string& toml_or_json, const std::string& name = "scene");
  static Scene shipped(const std::string& name);

  // Any key by its path, as in `catena run --set`: "simulation.duration", "chain.links.1.mass".
  Scene& set(const std::string& path, double value);
  Scene& set(const std::string& path, const std::string& text);
  Scene& set(const std::string& path, const char* text) { return set(path, std::string(text)); }
  Scene& set(const std::string& path, const std::vector<double>& values);

  // Behind the last one of the chain.
  Scene& add_link(const Link& link);
  // A table of a list, as TOML: add("bodies", "name = 'crank'\nshape = 'rod'\nsize = 0.3\nmass = 1").
  Scene& add(const std::string& list, const std::string& table);
  // A force of one's own on all that has mass, or on some: "chain.2", the name of a body.
  Scene& add_force(const std::function<ForceVector(const ForceInputs&)>& force,
                   const std::vector<std::string>& on = {});
  // The roots of a formula of columns and t; direction: rising, falling or any; the run ends at the `stop`th.
  Scene& add_event(const std::string& name, const std::string& when, const std::string& direction = "any",
                   int stop = 0);
  // Steps by this method of one's own; simulation.step says how long they are.
  Scene& use(Integrator integrator);

  // Finds all mistakes, or none. Throws Error.
  void check() const;
  std::string toml() const;
  std::string json() const;

  struct Inside;
  const Inside& inside() const { return *inside_; }
  ~Scene();
  Scene(const Scene& other);
  Scene& operator=(const Scene& other);
  Scene(Scene&& other) noexcept;
  Scene& operator=(Scene&& other) noexcept;

 private:
  std::unique_ptr<Inside> inside_;
};

// What happened when a formula of [[events]] went through zero.
struct EventTable {
  std::string name;
  std::vector<std::string> columns;       // "t" first
  std::vector<std::vector<double>> rows;  // one for each time it happened
};

enum class Outcome { done, stopped_by_event, failed, interrupted };

// A recorded run.
class CATENA_EXPORT Run {
 public:
  const std::vector<std::string>& names() const;  // of the columns; "t" first
  std::size_t rows() const;
  // Throws Error where there is no such column.
  const std::vector<double>& column(const std::string& name) const;
  const std::vector<EventTable>& events() const;
  Outcome outcome() const;
  const std::string& message() const;  // what failed, and what may help
  const std::vector<std::string>& warnings() const;
  double energy_error() const;  // the largest, as a part of the energy that moved
  std::string summary_json() const;
  // As .h5, .csv, .json or .npz, as `catena run -o` writes it. Throws Error.
  void save(const std::string& path) const;

  struct Inside;
  explicit Run(std::unique_ptr<Inside> inside);
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

 private:
  std::unique_ptr<Inside> inside_;
};

struct RunOptions {
  std::vector<std::string> quantities = {};  // columns, stems or groups; none: all
  std::vector<double> times = {};            // rows at these times; none: every `sample` seconds
  std::function<void(double time, double end)> progress = {};  // a few times a second
  std::function<bool()> stop = {};                             // asked as often; true ends the run
};

// The whole of a scene's duration. Throws Error where the scene has mistakes.
CATENA_EXPORT Run run(const Scene& scene, const RunOptions& options = {});

// A scene in motion, step by step, beside whatever else a program does.
class CATENA_EXPORT Motion {
 public:
  // Throws Error where the scene has mistakes.
  explicit Motion(const Scene& scene);
  ~Motion();
  Motion(Motion&&) noexcept;
  Motion& operator=(Motion&&) noexcept;

  // One step of the method, as long as it chooses; false: there is none, and trouble() says why.
  bool advance();
  // Steps until at least t, so that values at t can be had; false likewise.
  bool advance_to(double t);
  const std::string& trouble() const;

  // The time reached, and where the last step began: values can be had in between.
  double time() const;
  double step_start() const;
  // A column, or some, at a time of the last step; without one, at the time reached. Throws Error where there
  // is no such column or the time lies outside.
  double value(const std::string& column) const;
  double value(const std::string& column, double t) const;
  std::vector<double> values(const std::vector<std::string>& columns, double t) const;

  std::vector<double> state() const;
  // Its rate of change at any time and state.
  std::vector<double> rates(double t, const std::vector<double>& state) const;
  std::size_t degrees_of_freedom() const;

  // All that is needed to go on with the same bits, from where the last step began.
  std::string checkpoint() const;
  void restore(const std::string& checkpoint);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace v0
}  // namespace catena
