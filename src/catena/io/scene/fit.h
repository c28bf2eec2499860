// [fit]: what `catena fit` is to find, in a scene or in a file of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/io/scene/scene.h"
#include "catena/model/fit.h"

namespace catena {

// The [fit] in this text, with the options' overrides; none: it has none. A file of its own has `scene`, in
// [fit] or before it, and no [simulation]. Throws InputError with all mistakes of it.
std::optional<FitPlan> read_fit(std::string_view text, const SceneOptions& options);

// The scene's text with other numbers in these places, its comments and all else as they were. Where a number
// does not stand there by itself (it is not written, or the text is no TOML) the scene is written anew from
// its document `json`, and `is_rewritten` says so.
struct ChangedText {
  std::string text;
  bool is_rewritten = false;
};
ChangedText text_with_numbers(std::string_view text, const std::string& json,
                              const std::vector<std::string>& paths, const std::vector<double>& values);

}  // namespace catena
