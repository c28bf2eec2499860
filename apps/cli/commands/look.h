// How pictures look: the options that plots and videos share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "catena/draw/colour.h"
#include "catena/draw/words.h"

namespace catena::cli {

struct LookArguments {
  std::string theme = "light";
  std::string language = "en";

  void declare(CLI::App& parser);
};

const draw::Theme& theme_of(const LookArguments& arguments);

// The language asked for, or English with a note that says what is missing.
draw::Language language_of(const LookArguments& arguments);

}  // namespace catena::cli
