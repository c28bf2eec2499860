// Runs a scene file, tells how exact it was, and keeps the rows: run_a_scene SCENE.toml OUT.csv
#include <catena/catena.h>

#include <cstdio>

int main(int count, char** words) {
  if (count != 3) {
    std::fprintf(stderr, "usage: run_a_scene SCENE.toml OUT.csv\n");
    return 2;
  }
  try {
    const catena::Run run = catena::run(catena::Scene::from_file(words[1]));
    for (const std::string& warning : run.warnings()) std::fprintf(stderr, "%s\n", warning.c_str());
    if (run.outcome() == catena::Outcome::failed) {
      std::fprintf(stderr, "%s\n", run.message().c_str());
      return 1;
    }
    run.save(words[2]);
    std::printf("%zu rows of %zu columns, energy held to %.1e\n", run.rows(), run.names().size(),
                run.energy_error());
    return 0;
  } catch (const catena::Error& error) {  // all mistakes of the scene, each with its place
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
