// [method]: a Runge-Kutta table of the user's own.
#include <gtest/gtest.h>

#include <string>

#include "catena/base/mistake.h"
#include "catena/io/scene/scene.h"

namespace catena {
namespace {

Scene read(const std::string& method) {
  SceneOptions options;
  options.source = "own.toml";
  return read_scene(
      "[simulation]\nduration = 1\nmethod = \"custom\"\nstep = 0.1\n"
      "[chain]\nlinks = [{length = 1, mass = 1}]\n[method]\n" +
          method,
      options);
}

std::string mistakes(const std::string& method) {
  try {
    read(method);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(OwnMethod, IsReadWithFractionsAndItsOrderFound) {
  const Scene kutta =
      read("a = [[], [\"1/3\"], [\"-1/3\", 1], [1, -1, 1]]\nb = [0.125, \"3/8\", \"3 / 8\", \"1/8\"]\n");
  ASSERT_TRUE(kutta.simulation.custom);
  EXPECT_EQ(kutta.simulation.custom->order, 4);
  EXPECT_EQ(kutta.simulation.custom->a[2], (std::vector<double>{-1.0 / 3, 1.0}));
  EXPECT_DOUBLE_EQ(kutta.simulation.custom->c[2], 2.0 / 3);
  // P. Bogacki and L. F. Shampine (1989), with square rows and its own c.
  const Scene pair = read(
      "a = [[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.75, 0, 0], [\"2/9\", \"1/3\", \"4/9\", 0]]\n"
      "b = [\"2/9\", \"1/3\", \"4/9\", 0]\nb_hat = [\"7/24\", 0.25, \"1/3\", 0.125]\nc = [0, 0.5, 0.75, "
      "1]\n");
  EXPECT_EQ(pair.simulation.custom->order, 3);
  EXPECT_EQ(pair.simulation.custom->hat_order, 2);
}

TEST(OwnMethod, InconsistentTablesAreRefusedWithPlaceAndRemedy) {
  struct Case {
    const char* table;
    const char* expected;
  };
  for (const Case& one : {
           Case{"a = [[], [0.5]]\nb = [0, 0.9]\n", "own.toml:9:5: method: b sums to 0.9, but must sum to 1"},
           Case{"a = [[], [0.5]]\nb = [0, 1]\nc = [0, 0.6]\n",
                "own.toml:10:9: method: c[2] is 0.6, but row 2 of a sums to 0.5"},
           Case{"a = [[0.25, 0], [0.5, 0]]\nb = [0, 1]\n", "own.toml:8:7: method: row 1 of a uses stage 1"},
           Case{"a = [[], [0.5], [1]]\nb = [0, 1]\n", "a has 3 rows, but b has 2 weights"},
           Case{"a = [[], []]\nb = [0, 1]\n", "row 2 of a has 0 entries; it needs 1"},
           Case{"a = [[], [0.5]]\nb = [0, 1]\nc = [0]\n", "c has 1 entries, but b has 2 weights"},
           Case{"a = [[], [0.5]]\nb = [0, 1]\nb_hat = [1]\n", "b_hat has 1 weights, but b has 2"},
           Case{"a = [[], [0.5]]\nb = [0, 1]\nb_hat = [0.5, 0.4]\n", "b_hat sums to 0.9"},
           Case{"a = [[], [0.5]]\nb = [0, 1]\nb_hat = [0, 1]\n", "b_hat equals b"},
           Case{"a = [[], [\"1/0\"]]\nb = [0, \"x\"]\n",
                "b[2] must be a number, or a fraction in text such as \"1/3\", got the text 'x'"},
           Case{"a = [[], [0.5]]\n", "method: b is missing"},
           Case{"a = 3\nb = []\n", "a must be a list of rows"},
           Case{"a = []\nb = []\n", "b is empty"},
           Case{"a = [[], [0.5]]\nb = [0, 1]\nd = 3\n", "unknown key 'd'"},
       }) {
    EXPECT_NE(mistakes(one.table).find(one.expected), std::string::npos) << one.table << mistakes(one.table);
  }
}

TEST(OwnMethod, AllMistakesComeAtOnce) {
  const std::string all = mistakes("a = [[], [0.5]]\nb = [0, 0.9]\nb_hat = [1, 1]\nc = [0.1, 0.5]\n");
  for (const char* expected : {"c[1] is 0.1", "b sums to 0.9", "b_hat sums to 2"}) {
    EXPECT_NE(all.find(expected), std::string::npos) << all;
  }
}

}  // namespace
}  // namespace catena
