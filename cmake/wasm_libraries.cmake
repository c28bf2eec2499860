# The libraries of catena_core for the WebAssembly build. Their headers are linked into an include folder of our own:
# the system's would bring the native C library's headers along.
set(wasm_include ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${wasm_include})
foreach(header fmt/format.h nlohmann/json.hpp toml++/toml.h Eigen/Core)
  get_filename_component(folder ${header} DIRECTORY)
  find_path(headers_of_${folder} ${header} PATHS /usr/local/include /usr/include PATH_SUFFIXES eigen3
    REQUIRED NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  file(CREATE_LINK ${headers_of_${folder}}/${folder} ${wasm_include}/${folder} SYMBOLIC)
endforeach()
foreach(library nlohmann_json::nlohmann_json PkgConfig::tomlplusplus Eigen3::Eigen)
  add_library(${library} INTERFACE IMPORTED)
  target_include_directories(${library} INTERFACE ${wasm_include})
endforeach()

set(fmt_include ${wasm_include})
include(cmake/fmt_source.cmake)
