// Why threads cannot do something, in words for a user: thrown where programs are made, caught there, too.
#pragma once

#include <string>
#include <utility>

namespace catena {
namespace threads {

struct Refusal {
  std::string why;
};
[[noreturn]] inline void refuse(std::string why) { throw Refusal{std::move(why)}; }

}  // namespace threads
}  // namespace catena
