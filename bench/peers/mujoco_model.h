// A model of MuJoCo from its XML.
#pragma once

#include <mujoco/mujoco.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>

// Through a file, since how to load from memory differs between versions 2 and 3.
inline mjModel* load_model(const std::string& xml) {
  char name[] = "/tmp/catena_bench_XXXXXX.xml";
  const int descriptor = mkstemps(name, 4);
  if (descriptor < 0) throw std::runtime_error("no temporary file");
  std::FILE* file = fdopen(descriptor, "w");
  std::fwrite(xml.data(), 1, xml.size(), file);
  std::fclose(file);
  char error[500] = "";
  mjModel* model = mj_loadXML(name, nullptr, error, sizeof error);
  std::remove(name);
  if (!model) throw std::runtime_error(error);
  return model;
}
