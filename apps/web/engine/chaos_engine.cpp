// The tools of chaos as a module of its own: workers load it when somebody asks for them.
#include "chaos.h"

namespace {

catena::web::ChaosTools& tools() {
  static catena::web::ChaosTools all;
  return all;
}

std::string reply;  // of the last call; lives until the next one

}  // namespace

extern "C" {
const char* catena_call(const char* request) {
  reply = tools().call(request);
  return reply.c_str();
}
const double* catena_rows() { return tools().rows().data(); }
int catena_row_values() { return static_cast<int>(tools().rows().size()); }
}
