// What the static libraries of Cairo would bring along and nobody calls: these stand in their place, so that the linker leaves the
// originals out. Hints of fonts (canvas.cpp asks for none), checks of their tables, distance fields, drawings in fonts; and pixman's MMX,
// since all processors that packages are for have SSE2. All kinds of fonts are still read: Fontconfig keeps what it finds for other
// programs, too.
#include <ft2build.h>
#include FT_MODULE_H

#define LEFT_OUT(name) const FT_Module_Class name = {0, sizeof(FT_ModuleRec), "no_" #name, 0x10000, 0x20000, NULL, NULL, NULL, NULL}

// Its fields are FreeType's own; modules are told from each other by what the library keeps before them.
typedef struct FT_ModuleRec_ {
  FT_Module_Class* clazz;
  FT_Library library;
  FT_Memory memory;
} FT_ModuleRec;

LEFT_OUT(autofit_module_class);
LEFT_OUT(gxv_module_class);
LEFT_OUT(otv_module_class);
LEFT_OUT(ft_sdf_renderer_class);
LEFT_OUT(ft_bitmap_sdf_renderer_class);
LEFT_OUT(ft_svg_renderer_class);

struct pixman_implementation;
struct pixman_implementation* _pixman_implementation_create_mmx(struct pixman_implementation* next);
struct pixman_implementation* _pixman_implementation_create_mmx(struct pixman_implementation* next) { return next; }
