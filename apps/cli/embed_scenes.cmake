# Writes the C++ source `output` that holds the files `scenes` as texts.
list(SORT scenes)
set(entries "")
foreach(scene IN LISTS scenes)
  get_filename_component(name "${scene}" NAME_WE)
  file(READ "${scene}" text)
  string(APPEND entries "    {\"${name}\", R\"scene(${text})scene\"},\n")
endforeach()
file(WRITE "${output}" "#include \"scenes.h\"

namespace catena::cli {

std::span<const ShippedScene> shipped_scenes() {
  static constexpr ShippedScene kScenes[] = {
${entries}  };
  return kScenes;
}

}  // namespace catena::cli
")
