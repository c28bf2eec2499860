// Labels of columns: numbers are not written out, and nobody sees it.
#include "catena/model/labels.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

using Names = std::vector<std::string>;

TEST(Labels, NumbersAreWhatTheyWouldBeWrittenOut) {
  const Labels numbers = Labels::numbers(3);
  EXPECT_EQ(numbers, (Labels{"1", "2", "3"}));
  EXPECT_EQ(Names(numbers), (Names{"1", "2", "3"}));
  EXPECT_EQ(numbers[1], "2");
  EXPECT_EQ(numbers.back(), "3");
  EXPECT_TRUE(numbers.contains("3"));
  EXPECT_FALSE(numbers.contains("4"));
  EXPECT_TRUE(Labels().empty());
}

TEST(Labels, NamesAndNumbersStandInTheOrderInWhichTheyCame) {
  for (const Names& names : {Names{"1", "2", "crank"}, Names{"crank", "1", "2"}, Names{"2", "1"},
                             Names{"1", "3"}, Names{"1", "02"}, Names{"1", "1"}}) {
    Labels labels(names);
    EXPECT_EQ(Names(labels), names);
    labels.append({"rod", "9"});
    EXPECT_EQ(labels.size(), names.size() + 2);
    EXPECT_EQ(labels.back(), "9");
    for (const std::string& name : names) EXPECT_TRUE(labels.contains(name));
  }
}

}  // namespace
}  // namespace catena
