// Labels with mathematics.
#include "catena/draw/label.h"

#include <gtest/gtest.h>

#include "catena/draw/canvas.h"

namespace catena::draw {
namespace {

TEST(Labels, LettersOfMathematicsAreItalicDigitsAreNot) {
  const auto runs = label_runs("Angle $θ_1$ (rad)");
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0].text, "Angle ");
  EXPECT_EQ(runs[1].text, "θ");
  EXPECT_TRUE(runs[1].italic);
  EXPECT_EQ(runs[2].text, "1");
  EXPECT_FALSE(runs[2].italic);
  EXPECT_LT(runs[2].rise, 0.0);
  EXPECT_LT(runs[2].scale, 1.0);
  EXPECT_EQ(runs[3].text, " (rad)");
}

TEST(Labels, ADotBelongsToTheNextLetterAlone) {
  const auto runs = label_runs("$\\dot θ_{12}$");
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_TRUE(runs[0].dotted);
  EXPECT_EQ(runs[1].text, "12");
  EXPECT_FALSE(runs[1].dotted);
}

TEST(Labels, PowersAreRaisedAndMinusIsAMinusSign) {
  const auto runs = label_runs("$10^{-12}$");
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1].text, "\u221212");
  EXPECT_GT(runs[1].rise, 0.0);
}

TEST(Labels, NamesOfUsersAreNotTakenForMathematics) {
  for (const std::string name : {"a_b", "$x$", "C:\\dot", "2^3", "$", "\\"}) {
    std::string text;
    for (const LabelRun& run : label_runs(plain_label(name))) text += run.text;
    EXPECT_EQ(text, name);
  }
}

TEST(Labels, UnfinishedMathematicsIsNoTrouble) {
  for (const char* label : {"$", "$_", "$^{", "$\\dot", "$x_{1", "\\", "$$", "$\\times", "\xff\xfe", "$}"}) {
    EXPECT_NO_THROW(label_runs(label)) << label;
  }
}

TEST(Labels, NumbersReadAsPeopleWriteThem) {
  EXPECT_EQ(number_label(0.0, 3), "0");
  EXPECT_EQ(number_label(2.5, 2), "2.5");
  EXPECT_EQ(number_label(-1e-12, 2), "-10^{-12}");
  EXPECT_EQ(number_label(3.2e7, 2), "3.2\\times10^{7}");
  EXPECT_EQ(number_label(1e5, 3), "10^{5}");
  EXPECT_EQ(number_label(2987.0, 2), "3000");
  EXPECT_EQ(number_label(0.0012345, 2), "0.0012");
}

TEST(Labels, GreekCanBeWrittenWithTheInstalledFonts) { EXPECT_TRUE(can_write("θφω π Time")); }

TEST(Labels, WiderTextIsWider) {
  Canvas canvas = Canvas::to_image(10, 10);
  EXPECT_GT(canvas.text_width("mmmm", 9), 2 * canvas.text_width("m", 9));
  EXPECT_NEAR(canvas.text_width("abc", 18), 2 * canvas.text_width("abc", 9), 0.01);
  EXPECT_EQ(canvas.text_width("", 9), 0.0);
}

}  // namespace
}  // namespace catena::draw
