#include <fmt/format.h>

#include "catena/io/scene.h"
#include "command.h"

namespace catena::cli {

Command schema_command() {
  return {
      .name = "schema",
      .summary = "print the JSON Schema of scenes",
      .usage = "catena schema",
      .examples = {{"catena schema > scene.schema.json", "for editors that complete and check as you type"},
                   {"catena schema | less", "every key with its unit, range and default"}},
      .declare = [](CLI::App&) {},
      .perform =
          [] {
            const std::string schema = scene_schema();
            fmt::print("{}{}", schema, schema.ends_with('\n') ? "" : "\n");
            return kDone;
          },
  };
}

}  // namespace catena::cli
