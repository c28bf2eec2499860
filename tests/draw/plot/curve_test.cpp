// Many rows, few points, and nothing lost that could be seen.
#include "catena/draw/plot/curve.h"

#include <gtest/gtest.h>

#include <cmath>

namespace catena::draw {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Envelopes, KeepEveryPeakOfAMillionRows) {
  Envelope envelope(0.0, 1.0, 500);
  constexpr int kRows = 1'000'000;
  for (int i = 0; i <= kRows; ++i) {
    const double t = static_cast<double>(i) / kRows;
    envelope.add(t, i == 333'333 ? 7.0 : i == 777'777 ? -9.0 : std::sin(50 * t));
  }
  const std::vector<Point> points = envelope.points();
  EXPECT_LE(points.size(), 4u * 500u);
  bool has_peak = false, has_dip = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    has_peak = has_peak || (points[i].y == 7.0 && std::fabs(points[i].x - 0.333333) < 1e-9);
    has_dip = has_dip || (points[i].y == -9.0 && std::fabs(points[i].x - 0.777777) < 1e-9);
    if (i > 0) {
      EXPECT_GE(points[i].x, points[i - 1].x);
    }
  }
  EXPECT_TRUE(has_peak && has_dip);
}

TEST(Envelopes, FewRowsAreKeptAsTheyAre) {
  Envelope envelope(0.0, 10.0);
  for (int i = 0; i <= 10; ++i) envelope.add(i, i * i);
  const std::vector<Point> points = envelope.points();
  ASSERT_EQ(points.size(), 11u);
  for (int i = 0; i <= 10; ++i) EXPECT_EQ(points[static_cast<std::size_t>(i)].y, i * i);
}

TEST(Envelopes, NanIsAGap) {
  Envelope envelope(0.0, 4.0);
  for (const auto& [x, y] : {Point{0, 1}, {1, 1}, {2, kNan}, {3, 2}, {4, 2}}) envelope.add(x, y);
  const std::vector<Point> points = envelope.points();
  ASSERT_EQ(points.size(), 5u);
  EXPECT_TRUE(std::isnan(points[2].y));
  EXPECT_EQ(envelope.bounds().high, 2.0);
}

TEST(Envelopes, OneRowIsOnePoint) {
  Envelope envelope(3.0, 3.0);
  envelope.add(3.0, 5.0);
  ASSERT_EQ(envelope.points().size(), 1u);
}

Bounds bounds(double low, double high) {
  Bounds out;
  out.add(low);
  out.add(high);
  return out;
}

TEST(Traces, LeaveOutWhatTheEyeDoesNotSee) {
  Trace trace(bounds(-1, 1), bounds(-1, 1));
  for (int i = 0; i < 1'000'000; ++i) trace.add(std::cos(1e-3 * i), std::sin(1e-3 * i));  // 159 turns
  ASSERT_NE(trace.density(), nullptr);
  Trace once(bounds(-1, 1), bounds(-1, 1));
  for (int i = 0; i < 6284; ++i) once.add(std::cos(1e-3 * i), std::sin(1e-3 * i));
  EXPECT_EQ(once.density(), nullptr);
  EXPECT_GT(once.points().size(), 1000u);
}

TEST(Traces, TheRasterCountsWhereTheCurveIs) {
  Trace trace(bounds(-1, 1), bounds(-1, 1), 100);
  for (int i = 0; i < 100'000; ++i) trace.add(std::cos(0.01 * i), std::sin(0.01 * i));
  const auto density = trace.density();
  ASSERT_NE(density, nullptr);
  EXPECT_TRUE(trace.points().empty());
  for (int y = 0; y < density->height; ++y) {
    for (int x = 0; x < density->width; ++x) {
      if (density->hits[static_cast<std::size_t>(y * density->width + x)] == 0) continue;
      const double u = 2.0 * (x + 0.5) / density->width - 1, v = 1 - 2.0 * (y + 0.5) / density->height;
      EXPECT_NEAR(std::hypot(u, v), 1.0,
                  3.0 / density->width);  // half a pixel each way, and the clamp at the rim
    }
  }
}

TEST(Traces, GapsAreKept) {
  Trace trace(bounds(0, 10), bounds(0, 10));
  trace.add(0, 0);
  trace.add(5, 5);
  trace.add(kNan, 1);
  trace.add(kNan, 1);
  trace.add(9, 9);
  ASSERT_EQ(trace.points().size(), 4u);
  EXPECT_TRUE(std::isnan(trace.points()[2].x));
}

}  // namespace
}  // namespace catena::draw
