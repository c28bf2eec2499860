// Bytes as text that JSON and links can hold.
#pragma once

#include <string>
#include <string_view>

namespace catena::web {

std::string to_base64(std::string_view bytes);
// Stops at the first character that is none of base64's.
std::string from_base64(std::string_view text);

}  // namespace catena::web
