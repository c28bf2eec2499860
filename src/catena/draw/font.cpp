#include "catena/draw/font.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "catena/draw/label.h"

namespace catena::draw {
namespace {

// The first one that is installed; all have Greek. Fontconfig adds whatever else there is.
constexpr std::array kFamilies = {"Open Sans",   "Source Sans 3",   "Noto Sans",
                                  "DejaVu Sans", "Liberation Sans", "sans-serif"};

// One font and the characters it has. Faces live as long as the program.
struct Face {
  FcPattern* pattern = nullptr;
  FcCharSet* characters = nullptr;
  cairo_font_face_t* face = nullptr;

  bool has(char32_t c) const { return characters == nullptr || FcCharSetHasChar(characters, c) == FcTrue; }
  cairo_font_face_t* opened() {
    if (face == nullptr) face = cairo_ft_font_face_create_for_pattern(pattern);
    return face;
  }
};

// All installed fonts, the best match of the style first.
std::vector<Face> sorted_faces(FontStyle style) {
  std::vector<Face> faces;
  FcPattern* wanted = FcPatternCreate();
  for (const char* family : kFamilies) {
    FcPatternAddString(wanted, FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  }
  FcPatternAddInteger(wanted, FC_SLANT, style.italic ? FC_SLANT_ITALIC : FC_SLANT_ROMAN);
  FcPatternAddInteger(wanted, FC_WEIGHT, style.bold ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
  FcPatternAddInteger(wanted, FC_WIDTH, FC_WIDTH_NORMAL);
  FcConfigSubstitute(nullptr, wanted, FcMatchPattern);
  FcDefaultSubstitute(wanted);
  FcResult result = FcResultMatch;
  FcFontSet* found = FcFontSort(nullptr, wanted, FcTrue, nullptr, &result);
  for (int i = 0; found != nullptr && i < found->nfont; ++i) {
    Face face;
    face.pattern = FcFontRenderPrepare(nullptr, wanted, found->fonts[i]);
    FcPatternGetCharSet(found->fonts[i], FC_CHARSET, 0, &face.characters);
    if (face.characters != nullptr) face.characters = FcCharSetCopy(face.characters);
    faces.push_back(face);
  }
  if (found != nullptr) FcFontSetDestroy(found);
  FcPatternDestroy(wanted);
  if (faces.empty()) {  // no fonts at all: Cairo draws boxes
    Face none;
    none.face = cairo_toy_font_face_create("sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    faces.push_back(none);
  }
  return faces;
}

std::vector<Face>& faces_of(FontStyle style) {
  static auto& all = *new std::array<std::vector<Face>, 4>;  // never destroyed: Cairo may still use them
  std::vector<Face>& faces = all[(style.italic ? 1u : 0u) + (style.bold ? 2u : 0u)];
  if (faces.empty()) faces = sorted_faces(style);
  return faces;
}

std::size_t face_with(const std::vector<Face>& faces, char32_t c) {
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (faces[i].has(c)) return i;
  }
  return 0;
}

}  // namespace

void visit_fonts(std::string_view text, FontStyle style,
                 const std::function<void(cairo_font_face_t*, std::string_view)>& use) {
  std::vector<Face>& faces = faces_of(style);
  std::string stretch;
  std::size_t current = 0;
  for (const char32_t c : characters(text)) {
    const std::size_t wanted = c == ' ' ? current : face_with(faces, c);
    if (wanted != current && !stretch.empty()) {
      use(faces[current].opened(), stretch);
      stretch.clear();
    }
    current = wanted;
    stretch += utf8(c);
  }
  if (!stretch.empty()) use(faces[current].opened(), stretch);
}

bool fonts_have(std::string_view text) {
  const std::vector<Face>& faces = faces_of({});
  for (const char32_t c : characters(text)) {
    const Face& face = faces[face_with(faces, c)];
    if (face.characters == nullptr || !face.has(c)) return false;
  }
  return true;
}

}  // namespace catena::draw
