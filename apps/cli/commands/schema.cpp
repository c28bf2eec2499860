#include <fmt/format.h>

#include <memory>

#include "catena/io/record/record.h"
#include "catena/io/scene/scene.h"
#include "commands/command.h"

namespace catena::cli {

Command schema_command() {
  const auto of_runs = std::make_shared<bool>(false);
  return {
      .name = "schema",
      .summary = "print the JSON Schema of scenes, or of recorded runs",
      .usage = "catena schema [--run]",
      .examples = {{"catena schema > scene.schema.json", "for editors that complete and check as you type"},
                   {"catena schema | less", "every key with its unit, range and default"},
                   {"catena schema --run", "of recorded runs as JSON"}},
      .declare = [of_runs](Options& options) { options.flag("--run", *of_runs, "of recorded runs"); },
      .perform =
          [of_runs] {
            const std::string schema = *of_runs ? run_schema() : scene_schema();
            fmt::print("{}{}", schema, schema.ends_with('\n') ? "" : "\n");
            return kDone;
          },
  };
}

}  // namespace catena::cli
