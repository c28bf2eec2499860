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

# fmt costs 2 s in each file when it is used by its headers alone, so its one source is compiled here. What it has
# to instantiate depends on the version.
file(STRINGS ${wasm_include}/fmt/core.h fmt_9 REGEX "define FMT_VERSION 9[0-9][0-9][0-9][0-9]")
if(fmt_9)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/fmt.cpp CONTENT [[
#include <fmt/format-inl.h>
namespace fmt::inline v9::detail {
template locale_ref::locale_ref(const std::locale&);
template std::locale locale_ref::get<std::locale>() const;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<format_context>, locale_ref);
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
}
]])
  add_library(fmt STATIC ${CMAKE_BINARY_DIR}/fmt.cpp)
  target_link_libraries(fmt PRIVATE catena_settings)
  target_include_directories(fmt SYSTEM PUBLIC ${wasm_include})
else()
  add_library(fmt INTERFACE)
  target_include_directories(fmt SYSTEM INTERFACE ${wasm_include})
  target_compile_definitions(fmt INTERFACE FMT_HEADER_ONLY)
endif()
add_library(fmt::fmt ALIAS fmt)
