# Toolchain of the WebAssembly build: Emscripten's own, wherever emcc is installed.
find_program(CATENA_EMCC emcc REQUIRED NO_CMAKE_FIND_ROOT_PATH)
get_filename_component(emscripten_root ${CATENA_EMCC} REALPATH)
get_filename_component(emscripten_root ${emscripten_root} DIRECTORY)
include(${emscripten_root}/cmake/Modules/Platform/Emscripten.cmake)

# Linking runs Node, and a Node that is not Debian's does not find Debian's modules by itself.
if(EXISTS /usr/share/nodejs)
  set(ENV{NODE_PATH} /usr/share/nodejs)
  set(CMAKE_CXX_LINKER_LAUNCHER ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs)
endif()
