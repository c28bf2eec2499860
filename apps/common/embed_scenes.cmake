# Writes the C++ source `output` that holds the files `scenes`, `studies` and `sweeps` as texts.
function(embed files function_name result)
  list(SORT files)
  set(entries "")
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    string(APPEND entries "    {\"${name}\", R\"scene(${text})scene\"},\n")
  endforeach()
  set(${result} "std::span<const ShippedScene> ${function_name}() {
  static constexpr ShippedScene kAll[] = {
${entries}  };
  return kAll;
}
" PARENT_SCOPE)
endfunction()

embed("${scenes}" shipped_scenes scene_text)
embed("${studies}" shipped_studies study_text)
embed("${sweeps}" shipped_sweeps sweep_text)
file(WRITE "${output}" "#include \"scenes.h\"

namespace catena {

${scene_text}
${study_text}
${sweep_text}
}  // namespace catena
")
