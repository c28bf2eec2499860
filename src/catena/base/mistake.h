// A user's mistakes: each with its place, what is wrong and what would be right.
#pragma once

#include <exception>
#include <string>
#include <vector>

namespace catena {

// Where in the input something stands. Lines and columns count from 1; 0 means unknown.
struct Place {
  std::string source;  // file name, "<stdin>", "--set chain.links.1.mass=2", ...
  int line = 0;
  int column = 0;
};

struct Mistake {
  Place place;
  std::string message;  // what is wrong and what would be right, one line
};

// Something that is allowed and yet hardly meant, or a result that should not be believed as it stands: it is
// said, and the program goes on.
using Warning = Mistake;

// "chain.toml:12:10: link 2: length must be positive, got -1"
std::string text(const Mistake& mistake);

// All mistakes of one input at once. Thrown while a model is built, never inside a step.
class InputError : public std::exception {
 public:
  explicit InputError(std::vector<Mistake> mistakes);
  InputError(Place place, std::string message);
  const char* what() const noexcept override { return text_.c_str(); }
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

 private:
  std::vector<Mistake> mistakes_;
  std::string text_;
};

}  // namespace catena
