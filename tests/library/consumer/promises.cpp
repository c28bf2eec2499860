// What the public header promises, asked of the installed library.
#include <catena/catena.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  ++failures;
}

void mistakes_come_all_at_once() {
  try {
    catena::Scene::from_text("[simulation]\nduration = -1\n[[chain.links]]\nlength = -1\nmass = 0\n", "bad")
        .check();
    expect(false, "a scene with mistakes is refused");
  } catch (const catena::Error& error) {
    expect(error.problems().size() == 3, "three mistakes");
    expect(error.problems()[0].line == 2 && error.problems()[0].column > 0, "the first in line 2");
    expect(std::string(error.what()).find("bad:4:") != std::string::npos, "the second in line 4");
  }
}

void a_chain_built_in_code_is_the_one_in_a_file() {
  catena::Scene built;
  built.set("simulation.duration", 2.0);
  built.add_link({.length = 0.7, .mass = 1.5, .theta = 2.0, .phi = 0.3, .phi_dot = 1.0});
  built.add_link({.length = 0.4, .mass = 0.2, .theta = 1.0});
  const catena::Scene read = catena::Scene::from_text(built.toml(), "again");
  const catena::Run one = catena::run(built), other = catena::run(read);
  expect(one.rows() == 201 && one.column("t").back() == 2.0, "201 rows");
  expect(one.column("x_2") == other.column("x_2"), "the same bits through TOML");
  expect(one.energy_error() < 1e-13, "energy is held");
}

// Linear drag is a law of its own; written as a force in code it is the same motion.
void a_force_in_code_is_the_law_it_writes_down() {
  catena::Scene law = catena::Scene::shipped("double-pendulum");
  law.set("simulation.duration", 3.0);
  catena::Scene code = law;
  law.add("forces", "kind = 'formula'\nforce = ['-0.3*vx', '-0.3*vy', '-0.3*vz + 0.1*sin(t)']");
  code.add_force([](const catena::ForceInputs& in) {
    return catena::ForceVector{-0.3 * in.vx, -0.3 * in.vy, -0.3 * in.vz + 0.1 * sin(in.t)};
  });
  const double a = catena::run(law).column("x_2").back(), b = catena::run(code).column("x_2").back();
  expect(std::fabs(a - b) < 1e-12, "the same motion");
  const double free = catena::run(catena::Scene::shipped("double-pendulum").set("simulation.duration", 3.0))
                          .column("x_2")
                          .back();
  expect(std::fabs(a - free) > 1e-3, "and not that without it");
}

// theta = A cos(w t) of small swings: the third passage through zero is at 5/4 of a period.
void events_are_found_and_end_a_run() {
  catena::Scene scene;
  scene.add_link({.length = 1.0, .mass = 1.0, .theta = 1e-4});
  scene.add_event("down", "theta_1", "any", 3);
  const catena::Run run = catena::run(scene);
  expect(run.outcome() == catena::Outcome::stopped_by_event, "stopped");
  expect(run.events().size() == 1 && run.events()[0].rows.size() == 3, "three passages");
  const double period = 2 * 3.14159265358979323846 / std::sqrt(9.81);
  expect(std::fabs(run.events()[0].rows[2][0] - 1.25 * period) < 1e-8, "at 5/4 of a period");
}

void a_motion_goes_on_from_a_checkpoint() {
  const catena::Scene scene = catena::Scene::shipped("four-bar");
  catena::Motion motion(scene);
  motion.advance_to(0.5);
  motion.advance();
  const std::string checkpoint = motion.checkpoint();
  const double reached = motion.time();
  catena::Motion other(scene);
  other.restore(checkpoint);
  other.advance();
  expect(other.time() == reached && other.state() == motion.state(), "the same bits");
  const std::vector<double> rates = motion.rates(motion.time(), motion.state());
  expect(rates.size() == motion.state().size() && motion.degrees_of_freedom() == 1, "one freedom");
  try {
    motion.value("x_nothing");
    expect(false, "a column that is not there is refused");
  } catch (const catena::Error&) {
  }
}

void a_run_can_be_stopped_and_saved(const char* folder) {
  catena::RunOptions options;
  options.times = {0.5, 1.0};
  options.quantities = {"position"};
  const catena::Run run =
      catena::run(catena::Scene::shipped("pendulum").set("simulation.duration", 1.0), options);
  expect(run.rows() == 2 && run.names().size() == 4, "two rows of t, x, y, z");
  run.save(std::string(folder) + "/run.csv");
  run.save(std::string(folder) + "/run.h5");
  try {
    run.save(std::string(folder) + "/run.txt");
    expect(false, "another ending is refused");
  } catch (const catena::Error&) {
  }
}

}  // namespace

int main(int, char** words) {
  mistakes_come_all_at_once();
  a_chain_built_in_code_is_the_one_in_a_file();
  a_force_in_code_is_the_law_it_writes_down();
  events_are_found_and_end_a_run();
  a_motion_goes_on_from_a_checkpoint();
  a_run_can_be_stopped_and_saved(words[1]);
  expect(!catena::version().empty() && !catena::methods().empty(), "version and methods");
  return failures == 0 ? 0 : 1;
}
