// What is said of a bad scene.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/chains.h"

namespace catena {

// Of these lines, which begin in line 3, with places.
inline std::string said(const std::string& lines) {
  SceneOptions options;
  options.source = "s.toml";
  try {
    Lab lab(read_scene("[simulation]\nduration = 1\n" + lines, options));
    lab.columns({});
    EventWatch(lab, lab.scene().events);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

inline void expect_said(const std::string& lines, const std::vector<std::string>& parts) {
  const std::string all = said(lines);
  for (const std::string& part : parts)
    EXPECT_NE(all.find(part), std::string::npos) << part << "\nin\n" << all;
}

}  // namespace catena
