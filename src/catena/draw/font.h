// Fonts through fontconfig, with another font for characters that the first one lacks. Only for canvas.cpp.
#pragma once

#include <cairo.h>

#include <functional>
#include <string_view>

namespace catena::draw {

struct FontStyle {
  bool italic = false;
  bool bold = false;
};

// Calls `use` with each stretch of the text and the font that has its characters.
void visit_fonts(std::string_view text, FontStyle style,
                 const std::function<void(cairo_font_face_t*, std::string_view)>& use);

bool fonts_have(std::string_view text);

}  // namespace catena::draw
