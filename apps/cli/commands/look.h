// How pictures look: the options that plots and videos share.
#pragma once

#include <string>

#include "catena/draw/colour.h"
#include "catena/draw/words.h"
#include "terminal/options.h"

namespace catena::cli {

struct LookArguments {
  std::string theme = "light";
  std::string language = "en";

  void declare(Options& options);
};

const draw::Theme& theme_of(const LookArguments& arguments);

// The language asked for, or English with a note that says what is missing.
draw::Language language_of(const LookArguments& arguments);

}  // namespace catena::cli
