#include "commands/look.h"

#include <fmt/format.h>

#include "catena/base/mistake.h"
#include "terminal/messages.h"

namespace catena::cli {

void LookArguments::declare(Options& options) {
  options.value("--theme", &theme, "NAME", "light or dark. Default: light");
  options.value("--lang", &language, "CODE", "language of the texts in it: en or ja. Default: en");
}

const draw::Theme& theme_of(const LookArguments& arguments) {
  if (arguments.theme == "light") return draw::light_theme();
  if (arguments.theme == "dark") return draw::dark_theme();
  throw InputError({"--theme " + arguments.theme}, "there are light and dark");
}

draw::Language language_of(const LookArguments& arguments) {
  const auto wanted = draw::language_called(arguments.language);
  if (!wanted) throw InputError({"--lang " + arguments.language}, "there are en (English) and ja (Japanese)");
  const draw::Language language = draw::writable(*wanted);
  if (language != *wanted) {
    note(
        "no installed font has Japanese characters, so texts are in English; `apt-get install "
        "fonts-vlgothic` "
        "or any other Japanese font helps");
  }
  return language;
}

}  // namespace catena::cli
