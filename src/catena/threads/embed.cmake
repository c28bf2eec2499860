# Writes the C++ source `output` that holds the headers `files`, relative to `folder`, as texts.
set(entries "")
foreach(file IN LISTS files)
  file(READ "${folder}/${file}" text)
  string(APPEND entries "    {\"${file}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE "${output}" "#include \"catena/threads/texts.h\"

namespace catena {

std::span<const HeaderText> kernel_headers() {
  static constexpr HeaderText kAll[] = {
${entries}  };
  return kAll;
}

}  // namespace catena
")
