# fmt costs 2 s in each file when it is used by its headers alone, so its one source is compiled here, where there
# is no static library of it. What it has to instantiate depends on the version.
if(NOT fmt_include)
  find_path(fmt_include fmt/format.h REQUIRED)
endif()
file(STRINGS ${fmt_include}/fmt/core.h fmt_9 REGEX "define FMT_VERSION 9[0-9][0-9][0-9][0-9]")
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
  add_library(catena_fmt STATIC ${CMAKE_BINARY_DIR}/fmt.cpp)
  target_link_libraries(catena_fmt PRIVATE catena_settings)
  catena_compile_small(catena_fmt)
  target_include_directories(catena_fmt SYSTEM PUBLIC ${fmt_include})
else()
  add_library(catena_fmt INTERFACE)
  target_include_directories(catena_fmt SYSTEM INTERFACE ${fmt_include})
  target_compile_definitions(catena_fmt INTERFACE FMT_HEADER_ONLY)
endif()
add_library(fmt::fmt ALIAS catena_fmt)
