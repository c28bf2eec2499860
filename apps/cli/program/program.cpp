// The program `catena` by itself. In a wheel the module has the commands as well (apps/python/program.cpp).
#include "command_line.h"

int main(int count, char** words) { return catena::cli::command_line(count, words); }
