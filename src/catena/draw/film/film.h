// Frames of a video: the chain in space with its trails, its shadow, and what it measures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/draw/film/pixels.h"
#include "catena/draw/plot/figure.h"
#include "catena/draw/plot/space.h"
#include "catena/draw/view.h"
#include "catena/draw/words.h"

namespace catena::draw {

// The motion at one instant.
struct Sample {
  double t = 0.0;
  std::vector<Vec3> ends;                // of all links
  std::vector<Quaternion> orientations;  // of all links; empty: no bodies
  std::vector<Vec3> uppers;              // upper ends of all links; empty: pivots stand still
  std::vector<double> strain;            // of all links; empty: none is elastic
  std::vector<double> theta, theta_dot;  // empty: not known
  double kinetic = 0.0, potential = 0.0, elastic = 0.0, energy = 0.0;
  double energy_error = 0.0;
  bool has_energy = false;
};

// Samples at even times. `per_frame` of them make a frame, so that trails are smooth.
struct Motion {
  Skeleton skeleton;
  std::vector<Sample> samples;
  std::size_t per_frame = 1;

  std::size_t frames() const { return samples.empty() ? 0 : (samples.size() - 1) / per_frame + 1; }
};

enum class SidePanel { energy, phase, angles };

struct FilmLook {
  int width = 1280, height = 720;
  Theme theme = light_theme();
  Language language = Language::english;
  std::string title = {};
  std::optional<Gaze> gaze = {};  // none: chosen by the motion
  double turn = 0.0;              // rad per frame, around the vertical
  double trail = 1.5;             // s of motion; 0: none
  bool read_out = true;
  std::vector<SidePanel> panels = {};
};

class Film {
 public:
  // `ghosts` are drawn pale; their samples are at the same times.
  Film(Motion motion, std::vector<Motion> ghosts, FilmLook look);

  std::size_t frames() const { return motion_.frames(); }
  // Fast when frames are asked for in order.
  const Image& frame(std::size_t index);
  // Where texts were put in the last frame.
  const std::vector<TextBox>& texts() const { return texts_; }
  // Where a bob is in the last frame, in pixels.
  Point place(std::size_t link) const;

 private:
  struct Chart {
    SidePanel kind;
    Panel panel;
    Rect place;
    Frame frame;
    std::size_t drawn = 0;  // samples whose curve is on the backdrop
  };

  void choose_view();
  void choose_sizes();
  void make_charts();
  void draw_backdrop(const View& view, Rect area);
  void draw_charts(std::size_t sample);
  void draw_phase(const Chart& chart, std::size_t sample);
  void draw_shadow(const View& view, const Motion& motion, std::size_t sample);
  void draw_trails(const View& view, std::size_t sample);
  void draw_chain(const View& view, const Motion& motion, std::size_t sample, double presence);
  void draw_bodies(const View& view, const Motion& motion, std::size_t sample, double presence);
  void draw_joints(const View& view, std::size_t sample);
  void draw_read_out(std::size_t sample);
  double bob_radius(std::size_t link, double scale) const;

  Motion motion_;
  std::vector<Motion> ghosts_;
  FilmLook look_;
  Rect stage_;  // the part of the picture that shows space
  Room room_;
  Ground ground_;
  Gaze gaze_;
  std::optional<View> view_;  // of the first frame
  std::vector<View> current_;
  std::vector<Colour> colours_;
  std::vector<double> relative_radius_;
  double rod_width_ = 0.0, ball_radius_ = 0.0;  // m
  double strain_scale_ = 1e-3;
  std::vector<std::size_t> trailing_;  // links that have trails
  std::vector<Chart> charts_;
  Image backdrop_, image_;
  bool backdrop_ready_ = false;
  ShadowMask shadow_;
  std::vector<TextBox> texts_;
  std::vector<Point> places_;
};

}  // namespace catena::draw
