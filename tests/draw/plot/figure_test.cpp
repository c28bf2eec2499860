// Figures: files that decode, curves where the data says, and no text over another.
#include "catena/draw/plot/figure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "draw/pictures.h"

namespace catena::draw::testing {
namespace {

using Figures = Pictures;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Curve curve(std::string name, const Colour& colour, std::vector<Point> points) {
  Curve out;
  out.name = std::move(name);
  out.colour = colour;
  out.points = std::move(points);
  return out;
}

std::vector<Point> sine(double size, double offset = 0.0, int points = 400) {
  std::vector<Point> out;
  for (int i = 0; i <= points; ++i) out.push_back({10.0 * i / points, offset + size * std::sin(0.06 * i)});
  return out;
}

Figure stacked(std::vector<std::vector<Curve>> panels) {
  Figure figure;
  figure.title = "A title";
  figure.note = "and a note below it";
  figure.shared_x = true;
  for (std::vector<Curve>& curves : panels) {
    Panel panel;
    panel.x = {.label = "Time $t$", .unit = "s", .tight = true};
    panel.y = {.label = "Value $v_1$", .unit = "kg\u2009m²/s"};
    panel.curves = std::move(curves);
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

TEST_F(Figures, DecodeInAllFormatsWithTheirSize) {
  const Figure figure = stacked({{curve("a", rgb(0x0072b2), sine(1))}});
  const double height = height_of(figure);
  for (const char* ending : {"png", "svg", "pdf"}) {
    const std::string file = path(std::string("figure.") + ending);
    draw(figure, light_theme(), file);
    const double scale = std::string(ending) == "png" ? 2 : 1;
    EXPECT_EQ(decoded(file), std::to_string(static_cast<int>(640 * scale)) + " " +
                                 std::to_string(static_cast<int>(height * scale)));
    EXPECT_FALSE(std::filesystem::exists(file + ".tmp"));
  }
}

TEST_F(Figures, CannotBeWrittenWhereThereIsNoFolder) {
  const Figure figure = stacked({{curve("a", rgb(0x0072b2), sine(1))}});
  for (const char* ending : {"png", "svg", "pdf"}) {
    EXPECT_THROW(draw(figure, light_theme(), path(std::string("none/figure.") + ending)), std::runtime_error);
  }
}

TEST_F(Figures, CurvesPassWhereTheDataSays) {
  const Colour blue = rgb(0x0072b2);
  for (const bool logarithmic : {false, true}) {
    std::vector<Point> points;
    for (int i = 0; i <= 200; ++i) points.push_back({0.05 * i, std::exp(std::sin(0.05 * i) * 3)});
    Figure figure = stacked({{curve("", blue, points)}});
    figure.panels[0].y.logarithmic = logarithmic;
    Canvas canvas = Canvas::to_image(figure.width, height_of(figure), 2.0);
    const Drawn drawn = draw(figure, light_theme(), canvas);
    const Image image = canvas.taken_image();
    for (const Point& point : points) {
      const Point at = drawn.frames[0].place(point.x, point.y);
      EXPECT_LT(distance_to(image, 2 * at.x, 2 * at.y, blue), 0.12) << point.x;
    }
    // And nowhere else: a place in the middle between curve and frame is paper.
    const Point empty = drawn.frames[0].place(5.0, points[100].y * 4);
    EXPECT_LT(distance_to(image, 2 * empty.x + 7, 2 * empty.y + 5, light_theme().paper), 0.2);
  }
}

TEST_F(Figures, AGapStaysEmpty) {
  std::vector<Point> points = {{0, 0},    {1, 0}, {2, kNan}, {3, 0}, {4, 0},
                               {5, kNan}, {6, 0}, {7, kNan}, {8, 1}};
  const Colour red = rgb(0xd55e00);
  Figure figure = stacked({{curve("", red, points)}});
  Canvas canvas = Canvas::to_image(figure.width, height_of(figure), 2.0);
  const Drawn drawn = draw(figure, light_theme(), canvas);
  const Image image = canvas.taken_image();
  const auto has_curve = [&](double x, double y) {
    const Point at = drawn.frames[0].place(x, y);
    return distance_to(image, 2 * at.x, 2 * at.y, red) < 0.15;
  };
  EXPECT_TRUE(has_curve(0.5, 0));
  EXPECT_FALSE(has_curve(2, 0));
  EXPECT_TRUE(has_curve(3.5, 0));
  EXPECT_TRUE(has_curve(6, 0)) << "a value alone between gaps is a dot";
}

struct Case {
  std::string name;
  Figure figure;
};

std::vector<Case> nasty_cases() {
  const Colour blue = rgb(0x0072b2);
  std::vector<Case> cases;
  cases.push_back(
      {"constant", stacked({{curve("constant", blue, sine(0, 3))}, {curve("zero", blue, sine(0))}})});
  cases.push_back({"one-sample", stacked({{curve("one", blue, {{0, 5}})}})});
  cases.push_back(
      {"nothing", stacked({{curve("none", blue, {})}, {curve("nan", blue, {{0, kNan}, {1, kNan}})}})});
  cases.push_back(
      {"nan-gaps", stacked({{curve("gaps", blue, {{0, 1}, {1, kNan}, {2, 2}, {3, 3}, {4, kNan}})}})});
  cases.push_back({"scales", stacked({{curve("tiny", blue, sine(1e-15)), curve("huge", blue, sine(1e5))},
                                      {curve("tiny", blue, sine(1e-15))},
                                      {curve("huge", blue, sine(1e5))}})});
  cases.push_back({"tiny-variation", stacked({{curve("energy", blue, sine(3e-14, -29.43))},
                                              {curve("large", blue, sine(1e-9, 123456.789))}})});
  Figure many = stacked({{}, {}});
  for (std::size_t k = 0; k < 50; ++k) {
    for (Panel& panel : many.panels) {
      panel.curves.push_back(curve("link " + std::to_string(k + 1), series_colour(light_theme(), k, 50),
                                   sine(1.0 + 0.1 * static_cast<double>(k))));
    }
  }
  cases.push_back({"fifty-in-legend", many});
  many.key = ColourKey{"Link", "1", "50"};
  cases.push_back({"fifty-with-key", many});
  Figure grid = stacked({{}, {}, {}, {}, {}, {}, {}, {}, {}});
  grid.columns = 3;
  grid.shared_x = false;
  for (Panel& panel : grid.panels) panel.curves.push_back(curve("", blue, sine(1.2345e-7, 1)));
  cases.push_back({"grid", grid});
  Figure logs =
      stacked({{curve("", blue, {{1e-3, 1e-17}, {1e2, 1e3}})}, {curve("", blue, {{1e-3, 2}, {1e2, 3}})}});
  for (Panel& panel : logs.panels) panel.x.logarithmic = panel.y.logarithmic = true;
  logs.panels[0].x.tight = logs.panels[1].x.tight = false;
  cases.push_back({"logarithms", logs});
  Figure lengthy = stacked({{curve("a", blue, sine(1))}});
  lengthy.title = std::string(60, 'W') + " a title that is far too long for the figure it stands above";
  lengthy.note = std::string(150, 'w');
  lengthy.panels[0].y.label = std::string(120, 'm');
  cases.push_back({"long-texts", lengthy});
  return cases;
}

TEST_F(Figures, NoTextCoversAnotherOrACurveInNastyCases) {
  for (const Case& one : nasty_cases()) {
    SCOPED_TRACE(one.name);
    for (const Theme* theme : {&light_theme(), &dark_theme()}) {
      const Drawn drawn = draw(one.figure, *theme, path(one.name + (theme->dark ? "-dark" : "") + ".png"));
      expect_no_overlap(drawn);
      for (const Frame& frame : drawn.frames) {
        EXPECT_GT(frame.rect.width, 80);
        EXPECT_LT(frame.x.low, frame.x.high);
        EXPECT_LT(frame.y.low, frame.y.high);
      }
    }
  }
}

TEST_F(Figures, EqualAxesHaveTheSameScale) {
  Figure figure = stacked({{curve("", rgb(0x0072b2), {{0, 0}, {1, 0.1}})}});
  figure.panels[0].equal = true;
  Canvas canvas = Canvas::to_image(figure.width, height_of(figure));
  const Frame frame = draw(figure, light_theme(), canvas).frames[0];
  const Point a = frame.place(0, 0), b = frame.place(0.1, 0), c = frame.place(0, 0.1);
  EXPECT_NEAR(b.x - a.x, a.y - c.y, 1e-9);
}

TEST_F(Figures, BarsEndWhereTheirValuesAre) {
  Figure figure;
  Panel panel;
  panel.x = {.label = "Error", .logarithmic = true};
  panel.bars = {{"taylor", 1e-14, rgb(0x0072b2)},
                {"rk4", 1e-6, rgb(0xd55e00)},
                {"euler", kNan, rgb(0xd55e00), "failed"}};
  figure.panels.push_back(panel);
  Canvas canvas = Canvas::to_image(figure.width, height_of(figure), 1.0);
  const Drawn drawn = draw(figure, light_theme(), canvas);
  const Image image = canvas.taken_image();
  const Point end = drawn.frames[0].place(1e-6, 1);
  EXPECT_LT(distance_to(image, end.x - 4, end.y, rgb(0xd55e00)), 0.05);
  EXPECT_GT(distance_to(image, end.x + 3, end.y - 6, rgb(0xd55e00)), 0.3);
}

// Colours must be told apart by people who see no red or no green: distances in simulated colours (F. Vienot,
// H. Brettel and J. Mollon, 1999) stay above what is told apart easily.
TEST_F(Figures, SeriesColoursDifferForColourBlindPeopleToo) {
  const auto seen = [](const Colour& c, bool deuteranope) {
    const auto linear = [](double v) {
      return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const double r = linear(c.r), g = linear(c.g), b = linear(c.b);
    const double shared = deuteranope ? 0.29275 * r + 0.70725 * g : 0.11238 * r + 0.88762 * g;
    const double blue = deuteranope ? -0.02234 * r + 0.02234 * g + b : 0.00401 * r - 0.00401 * g + b;
    return std::array<double, 2>{std::cbrt(std::max(0.0, shared)), std::cbrt(std::max(0.0, blue))};
  };
  for (const Theme* theme : {&light_theme(), &dark_theme()}) {
    for (std::size_t i = 0; i < kDistinctColours; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (const bool deuteranope : {true, false}) {
          const auto a = seen(series_colour(*theme, i, kDistinctColours), deuteranope);
          const auto b = seen(series_colour(*theme, j, kDistinctColours), deuteranope);
          EXPECT_GT(std::hypot(a[0] - b[0], a[1] - b[1]), 0.08)
              << i << " and " << j << (theme->dark ? " dark" : "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace catena::draw::testing
