// The headers that kernels include, as texts inside the program.
#pragma once

#include <span>

namespace catena {

struct HeaderText {
  const char* name;  // as it is included
  const char* text;
};

std::span<const HeaderText> kernel_headers();

}  // namespace catena
