// Frames of videos: everything is where the motion says.
#include "catena/draw/film/film.h"

#include <gtest/gtest.h>

#include <cmath>

#include "draw/pictures.h"

namespace catena::draw::testing {
namespace {

using Films = Pictures;

// A pendulum of some links that all lie along one turning direction.
Motion turning(std::size_t links, std::size_t samples, bool elastic = false) {
  Motion motion;
  for (std::size_t k = 0; k < links; ++k) {
    motion.skeleton.links.push_back({std::to_string(k + 1), static_cast<int>(k) - 1, {}, elastic, 1.0});
  }
  for (std::size_t i = 0; i < samples; ++i) {
    Sample sample;
    sample.t = static_cast<double>(i) / 60.0;
    for (std::size_t k = 0; k < links; ++k) {
      const double reach = static_cast<double>(k + 1);
      sample.ends.push_back({reach * std::sin(sample.t), 0.3 * reach * std::cos(sample.t), -reach});
      if (elastic) sample.strain.push_back(k % 2 == 0 ? 0.2 : -0.2);
      sample.theta.push_back(std::sin(sample.t));
      sample.theta_dot.push_back(std::cos(sample.t));
    }
    sample.kinetic = 1;
    sample.potential = -2;
    sample.energy = -1;
    sample.has_energy = true;
    motion.samples.push_back(std::move(sample));
  }
  return motion;
}

FilmLook small() {
  FilmLook look;
  look.width = 640;
  look.height = 360;
  return look;
}

double red_of(std::uint32_t pixel) { return static_cast<double>(pixel >> 16 & 255u); }
double blue_of(std::uint32_t pixel) { return static_cast<double>(pixel & 255u); }

TEST_F(Films, HaveAFrameForEveryFewSamples) {
  Motion motion = turning(2, 41);
  motion.per_frame = 4;
  EXPECT_EQ(Film(motion, {}, small()).frames(), 11u);
}

TEST_F(Films, ShowBobsInTheirColoursWhereTheyAre) {
  for (const Theme* theme : {&light_theme(), &dark_theme()}) {
    FilmLook look = small();
    look.theme = *theme;
    Film film(turning(3, 90), {}, look);
    const Image& image = film.frame(70);
    for (std::size_t k = 0; k < 3; ++k) {
      const Point at = film.place(k);
      EXPECT_LT(distance_to(image, at.x, at.y, series_colour(*theme, k, 3)), 0.25) << k;
    }
  }
}

// Drawn where the bob will be, and hence where its curve is now.
TEST_F(Films, ShowTheCurvesThatSomethingSlidesOn) {
  FilmLook look = small();
  look.trail = 0.0;
  Motion motion = turning(1, 90);
  motion.skeleton.curves.emplace_back();
  for (const Sample& sample : motion.samples) motion.skeleton.curves[0].push_back({-1, sample.ends[0]});
  Film film(motion, {}, look);
  film.frame(70);
  const Point later = film.place(0);
  EXPECT_LT(distance_to(film.frame(10), later.x, later.y, rgb(0x32383f)), 0.3);
  motion.skeleton.curves.clear();
  Film bare(motion, {}, look);
  EXPECT_GT(distance_to(bare.frame(10), later.x, later.y, rgb(0x32383f)), 0.5);
}

TEST_F(Films, TrailsShowWhereABobWasAndFade) {
  FilmLook look = small();
  look.trail = 1.0;
  Film film(turning(1, 90), {}, look);
  film.frame(50);
  const Point recent = film.place(0);
  film.frame(36);
  const Point old = film.place(0);
  const Image with = film.frame(80);
  look.trail = 0.0;
  Film without(turning(1, 90), {}, look);
  const Image bare = without.frame(80);
  const auto difference = [&](const Point& at) {
    double most = 0;
    for (int i = 0; i < 9; ++i) {
      const int x = static_cast<int>(at.x) + i % 3 - 1, y = static_cast<int>(at.y) + i / 3 - 1;
      most = std::max(most, std::fabs(red_of(with.at(x, y)) - red_of(bare.at(x, y))));
    }
    return most;
  };
  // The colour's share falls with the square of the age left: 0.21 and 0.06 of the full difference.
  EXPECT_GT(difference(recent), 40);
  EXPECT_GT(difference(old), 5);
  EXPECT_GT(difference(recent), 2 * difference(old));
}

TEST_F(Films, StretchedLinksAreRedCompressedOnesBlue) {
  Film film(turning(3, 30, true), {}, small());  // the second link is pressed, the third one drawn
  const Image& image = film.frame(10);
  const auto middle = [&](Point a, Point b) {
    return image.at(static_cast<int>(0.5 * (a.x + b.x)), static_cast<int>(0.5 * (a.y + b.y)));
  };
  const std::uint32_t compressed = middle(film.place(0), film.place(1));
  EXPECT_GT(blue_of(compressed), red_of(compressed) + 60);
  const std::uint32_t stretched = middle(film.place(1), film.place(2));
  EXPECT_GT(red_of(stretched), blue_of(stretched) + 60);
  EXPECT_EQ(strain_colour(0.0).r, 1.0);
  EXPECT_EQ(strain_colour(0.0).b, 1.0);
  EXPECT_GT(strain_colour(1.0).r, strain_colour(1.0).b + 0.5);
  EXPECT_GT(strain_colour(-1.0).b, strain_colour(-1.0).r + 0.3);
}

TEST_F(Films, AGhostIsPale) {
  FilmLook look = small();
  look.trail = 0;
  Motion elsewhere = turning(1, 60);
  for (Sample& sample : elsewhere.samples) sample.ends[0][0] += 1.0;
  Film alone(turning(1, 60), {elsewhere}, look);
  const Image& image = alone.frame(5);
  Film ghost_only(elsewhere, {turning(1, 60)}, look);
  ghost_only.frame(5);
  const Point at = ghost_only.place(0);
  const double distance = distance_to(image, at.x, at.y, series_colour(light_theme(), 0, 1));
  EXPECT_GT(distance, 0.3);
  EXPECT_LT(distance, 1.2);
}

TEST_F(Films, BodiesAreDrawnWhereTheyAreAndAsTheyAreTurned) {
  Motion motion;
  motion.skeleton.links = {{"bar", Skeleton::kFree}};
  motion.skeleton.links[0].mesh = 0;
  motion.skeleton.meshes = {box_mesh({2.0, 0.1, 0.1})};
  for (const double angle : {0.0, 0.5 * 3.14159265358979}) {  // along x, then upright: turned about y
    Sample sample;
    sample.ends = {{0, 0, 0}};
    sample.orientations = {{std::cos(0.5 * angle), 0, std::sin(0.5 * angle), 0}};
    motion.samples.push_back(std::move(sample));
  }
  FilmLook look = small();
  look.gaze = Gaze{-0.5 * 3.14159265358979, 0.0};  // from -y: x to the right, z up
  Film film(motion, {}, look);
  const Colour blue = series_colour(light_theme(), 0, 1);
  const auto shows = [&](std::size_t frame, double right, double up) {
    const Image& image = film.frame(frame);
    const Point middle = film.place(0);
    return distance_to(image, middle.x + right, middle.y - up, blue) < 0.45;
  };
  EXPECT_TRUE(shows(0, 0, 0));
  EXPECT_TRUE(shows(0, 60, 0));
  EXPECT_FALSE(shows(0, 0, 60));
  EXPECT_TRUE(shows(1, 0, 60));
  EXPECT_FALSE(shows(1, 60, 0));
}

TEST_F(Films, FramesDoNotDependOnTheOrderTheyAreAskedFor) {
  FilmLook look = small();
  look.panels = {SidePanel::energy, SidePanel::phase, SidePanel::angles};
  look.turn = 0.01;
  Film forwards(turning(2, 60), {}, look), jumping(turning(2, 60), {}, look);
  for (std::size_t k = 0; k < 50; ++k) forwards.frame(k);
  jumping.frame(55);
  jumping.frame(10);
  EXPECT_EQ(forwards.frame(50).pixels, jumping.frame(50).pixels);
}

TEST_F(Films, TextsDoNotCoverEachOther) {
  for (const Language language : {Language::english, writable(Language::japanese)}) {
    FilmLook look = small();
    look.language = language;
    look.title = "a title";
    look.panels = {SidePanel::energy, SidePanel::phase};
    Motion motion = turning(5, 30);
    for (Sample& sample : motion.samples) sample.kinetic = 1.23456789e9, sample.energy_error = -1.2345e-123;
    Film film(std::move(motion), {}, look);
    film.frame(29);
    Drawn drawn{640, 360, film.texts(), {}};
    expect_no_overlap(drawn);
  }
}

TEST_F(Films, AMotionOfOneSampleOrOfNoneThatMovesIsNoTrouble) {
  EXPECT_NO_THROW(Film(turning(1, 1), {}, small()).frame(0));
  Motion stuck = turning(1, 5);
  for (Sample& sample : stuck.samples) sample.ends[0] = {0, 0, 0};
  EXPECT_NO_THROW(Film(stuck, {}, small()).frame(4));
  Motion broken = turning(2, 5);
  broken.samples[3].ends[1][0] = std::nan("");
  EXPECT_NO_THROW(Film(broken, {}, small()).frame(4));
}

TEST(Pixels, ALineCoversItsPixelsAndNoOthers) {
  Image image{40, 40, std::vector<std::uint32_t>(1600, 0xffffffffu)};
  paint_line(image, {5, 20}, {35, 20}, 4, rgb(0x000000), rgb(0x000000));
  for (int x = 6; x < 34; ++x) {
    EXPECT_EQ(image.at(x, 19), 0xff000000u);
    EXPECT_EQ(image.at(x, 20), 0xff000000u);
    EXPECT_EQ(image.at(x, 14), 0xffffffffu);
    EXPECT_EQ(image.at(x, 25), 0xffffffffu);
  }
}

TEST(Pixels, PiecesOfATranslucentCurveMeetWithoutOverlapping) {
  Image image{60, 20, std::vector<std::uint32_t>(1200, 0xffffffffu)};
  const Colour half = {0, 0, 0, 0.5};
  for (int k = 0; k < 10; ++k) paint_piece(image, {5.0 + 5 * k, 10}, {10.0 + 5 * k, 10}, 4, half, half);
  for (int x = 6; x < 54; ++x) EXPECT_EQ(image.at(x, 10) & 255u, 128u) << x;
}

TEST(Pixels, DiagonalLinesHaveNoHoles) {
  for (int degrees = 0; degrees < 360; degrees += 7) {
    Image image{100, 100, std::vector<std::uint32_t>(10000, 0xffffffffu)};
    const double a = degrees * 3.14159265 / 180;
    const Point from = {50, 50}, to = {50 + 40 * std::cos(a), 50 + 40 * std::sin(a)};
    paint_line(image, from, to, 3, rgb(0x000000), rgb(0x000000));
    for (double s = 0; s <= 1; s += 0.01) {
      const int x = static_cast<int>(from.x + s * (to.x - from.x)),
                y = static_cast<int>(from.y + s * (to.y - from.y));
      EXPECT_LT(image.at(x, y) & 255u, 30u) << degrees << " at " << s;
    }
  }
}

TEST(Pixels, NothingOutsideThePictureIsTouched) {
  Image image{20, 20, std::vector<std::uint32_t>(400, 0xffffffffu)};
  const Colour black = rgb(0x000000);
  paint_line(image, {-1e5, -50}, {1e5, -50}, 5, black, black);
  paint_line(image, {std::nan(""), 0}, {5, 5}, 5, black, black);
  paint_ball(image, {-100, -100}, 20, black);
  paint_disc(image, {1e9, 3}, 4, black);
  for (const std::uint32_t pixel : image.pixels) EXPECT_EQ(pixel, 0xffffffffu);
  paint_line(image, {-1000, 10}, {1000, 10}, 2, black, black);
  for (int x = 0; x < 20; ++x) EXPECT_EQ(image.at(x, 10) & 255u, 0u);
}

TEST(Pixels, ShadowsDoNotAddUp) {
  Image once{30, 30, std::vector<std::uint32_t>(900, 0xffffffffu)}, twice = once;
  ShadowMask mask(30, 30);
  mask.line({5, 15}, {25, 15}, 4);
  mask.lay_on(once, {0, 0, 0, 0.5});
  mask.line({5, 15}, {25, 15}, 4);
  mask.line({5, 15}, {25, 15}, 4);
  mask.lay_on(twice, {0, 0, 0, 0.5});
  EXPECT_EQ(once.pixels, twice.pixels);
}

}  // namespace
}  // namespace catena::draw::testing
