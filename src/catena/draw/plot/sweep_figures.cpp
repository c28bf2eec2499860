#include "catena/draw/plot/sweep_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/canvas.h"
#include "catena/draw/label.h"
#include "catena/draw/plot/figure.h"
#include "catena/draw/plot/page.h"
#include "catena/draw/plot/ticks.h"

namespace catena::draw {
namespace {

using Json = nlohmann::ordered_json;

std::string unit_of(const SweepFile& sweep, const std::string& measure) {
  const Json units = Json::parse(sweep.info.units_json, nullptr, false);
  return units.is_object() ? units.value(measure, "") : "";
}

// The axis that stands for an extent in pictures: its first, where it is one number; none: places are
// counted.
const SweepAxisValues* axis_along(const SweepFile& sweep, std::size_t extent) {
  for (const SweepAxisValues& axis : sweep.info.axes) {
    if (axis.extent == extent && axis.width == 1) return &axis;
  }
  return nullptr;
}

std::string in_words(const SweepAxisValues& axis) {
  return axis.keys.empty() ? axis.name : fmt::format("{} = {}", axis.name, axis.keys.front());
}

Axis drawn_axis(const SweepAxisValues& axis) {
  Axis out;
  out.label = plain_label(in_words(axis));
  out.unit = axis.unit;
  out.angle = axis.unit == "rad";
  out.logarithmic = axis.logarithmic && axis.values.front() > 0.0;
  out.tight = true;
  return out;
}

// Edges of the cells around values, in the axis's own scale.
struct Cells {
  std::vector<double> edges;  // one more than values, rising
  bool logarithmic = false, falling = false;

  explicit Cells(const SweepAxisValues& axis) : logarithmic(axis.logarithmic && axis.values.front() > 0.0) {
    std::vector<double> at = axis.values;
    for (double& value : at) value = logarithmic ? std::log10(value) : value;
    falling = at.back() < at.front();
    if (falling) std::reverse(at.begin(), at.end());
    const double first = at.size() > 1 ? at[1] - at[0] : 1.0;
    const double last = at.size() > 1 ? at.back() - at[at.size() - 2] : 1.0;
    edges.push_back(at.front() - 0.5 * first);
    for (std::size_t i = 1; i < at.size(); ++i) edges.push_back(0.5 * (at[i - 1] + at[i]));
    edges.push_back(at.back() + 0.5 * last);
  }
  Span span() const {
    const auto value = [&](double at) { return logarithmic ? std::pow(10.0, at) : at; };
    return {value(edges.front()), value(edges.back())};
  }
  // The place whose cell holds the part `share` of the way.
  std::size_t at(double share) const {
    const double value = edges.front() + share * (edges.back() - edges.front());
    const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
    const auto place = static_cast<std::size_t>(above - edges.begin()) - 1;
    return falling ? edges.size() - 2 - place : place;
  }
};

bool is_sorted_axis(const SweepAxisValues& axis) {
  return std::is_sorted(axis.values.begin(), axis.values.end()) ||
         std::is_sorted(axis.values.rbegin(), axis.values.rend());
}

// A plane through the arrays: two extents vary, the others stay in their middle.
struct Slice {
  std::size_t x = 0, y = 1;  // extents
  std::vector<std::size_t> fixed;
  const SweepAxisValues* across = nullptr;
  const SweepAxisValues* up = nullptr;

  std::size_t index(const SweepResults& results, std::size_t i, std::size_t j) const {
    std::size_t out = 0;
    for (std::size_t e = 0; e < results.shape.size(); ++e)
      out = out * results.shape[e] + (e == x ? i : e == y ? j : fixed[e]);
    return out;
  }
};

std::optional<Slice> slice_of(const SweepFile& sweep) {
  std::vector<std::size_t> grid;
  for (std::size_t e = 0; e < sweep.info.extents.size(); ++e) {
    const SweepAxisValues* axis = axis_along(sweep, e);
    if (sweep.info.extents[e].name != "sample" && sweep.info.extents[e].count > 1 && axis &&
        is_sorted_axis(*axis))
      grid.push_back(e);
  }
  if (grid.size() < 2) return std::nullopt;
  Slice out;
  out.x = grid[0];
  out.y = grid[1];
  for (const std::size_t count : sweep.results.shape) out.fixed.push_back(count / 2);
  out.across = axis_along(sweep, out.x);
  out.up = axis_along(sweep, out.y);
  return out;
}

std::string fixed_words(const SweepFile& sweep, const Slice& slice) {
  std::string out;
  for (std::size_t e = 0; e < sweep.results.shape.size(); ++e) {
    if (e == slice.x || e == slice.y) continue;
    const SweepAxisValues* axis = axis_along(sweep, e);
    out += fmt::format(
        "; at {} = {}", sweep.info.extents[e].name,
        axis ? fmt::format("{:.6g}", axis->values[slice.fixed[e]]) : std::to_string(slice.fixed[e]));
  }
  return out;
}

// How numbers become colours: a few whole ones distinct, the others along a sequence.
struct Palette {
  double low = 0.0, high = 1.0;
  std::vector<double> few;   // the whole numbers there are
  bool logarithmic = false;  // of numbers over more than a decade and a half
  bool has_none = false, has_failed = false, has_skipped = false, has_open = false;
  const Theme* theme;

  Palette(const std::vector<double>& values, const std::vector<CaseStatus>& status, const Theme& on)
      : theme(&on) {
    std::set<double> whole;
    bool is_few = true;
    low = std::numeric_limits<double>::infinity();
    high = -low;
    for (std::size_t i = 0; i < values.size(); ++i) {
      has_failed = has_failed || status[i] == CaseStatus::failed;
      has_skipped = has_skipped || status[i] == CaseStatus::skipped;
      has_open = has_open || status[i] == CaseStatus::not_computed;
      if (!std::isfinite(values[i])) {
        has_none = has_none || status[i] == CaseStatus::done;
        continue;
      }
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
      if (is_few && values[i] == std::round(values[i])) whole.insert(values[i]);
      is_few = is_few && values[i] == std::round(values[i]) && whole.size() <= kDistinctColours;
    }
    if (is_few) few.assign(whole.begin(), whole.end());
    if (!(low <= high)) low = 0.0, high = 1.0;
    if (low == high) high = low + 1.0;
    logarithmic = few.empty() && low > 0.0 && high / low > 30.0;
  }

  double place(double value) const {
    return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  }
  Colour none() const { return theme->paper; }
  Colour failed() const { return rgb(0xd55e00); }
  Colour skipped() const { return mixed(theme->paper, theme->muted, 0.25); }
  Colour open() const { return mixed(theme->paper, theme->muted, 0.55); }
  Colour of(double value, CaseStatus status) const {
    if (status == CaseStatus::failed) return failed();
    if (status == CaseStatus::skipped) return skipped();
    if (status == CaseStatus::not_computed) return open();
    if (!std::isfinite(value)) return none();
    if (!few.empty()) {
      const auto at = std::find(few.begin(), few.end(), value) - few.begin();
      return series_colour(*theme, static_cast<std::size_t>(at), few.size());
    }
    return sequence_colour(*theme, place(value));
  }
};

std::uint32_t pixel(const Colour& c) {
  const auto byte = [](double x) {
    return static_cast<std::uint32_t>(std::lround(255.0 * std::clamp(x, 0.0, 1.0)));
  };
  return 0xff000000u | byte(c.r) << 16 | byte(c.g) << 8 | byte(c.b);
}

Image map_image(const SweepFile& sweep, const Slice& slice, std::size_t measure, const Palette& palette,
                const Rect& place) {
  const Cells across(*slice.across), up(*slice.up);
  Image out;
  out.width = std::max(1, static_cast<int>(std::lround(2 * place.width)));
  out.height = std::max(1, static_cast<int>(std::lround(2 * place.height)));
  out.pixels.resize(static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height));
  std::vector<std::size_t> columns(static_cast<std::size_t>(out.width));
  for (int x = 0; x < out.width; ++x) columns[static_cast<std::size_t>(x)] = across.at((x + 0.5) / out.width);
  for (int y = 0; y < out.height; ++y) {
    const std::size_t j = up.at(1.0 - (y + 0.5) / out.height);
    for (int x = 0; x < out.width; ++x) {
      const std::size_t at = slice.index(sweep.results, columns[static_cast<std::size_t>(x)], j);
      out.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(out.width) +
                 static_cast<std::size_t>(x)] =
          pixel(palette.of(sweep.results.measures[measure][at], sweep.results.status[at]));
    }
  }
  return out;
}

constexpr double kBarRoom = 120.0;  // beside a map, for its colours

// What colours mean: a bar with numbers, or a square for each; and those of cases without a number.
void draw_key(Canvas& canvas, const Theme& theme, const Palette& palette, const Rect& map,
              const std::string& title) {
  const double x = map.right() + 18.0;
  double y = map.y;
  TextStyle words{.size = 8.5, .colour = theme.ink, .level = Align::middle};
  canvas.text(title, {x, y - 10.0}, words);
  const auto square = [&](const Colour& colour, const std::string& label) {
    canvas.fill(Rect{x, y, 12.0, 12.0}, colour);
    canvas.outline(std::vector<Point>{{x, y}, {x + 12, y}, {x + 12, y + 12}, {x, y + 12}},
                   {theme.muted, 0.5});
    canvas.text(label, {x + 18.0, y + 6.0}, words);
    y += 18.0;
  };
  if (!palette.few.empty()) {
    for (const double value : palette.few)
      square(palette.of(value, CaseStatus::done), fmt::format("{:g}", value));
  } else {
    const double height = map.height - 80.0;
    constexpr int kSteps = 128;
    for (int k = 0; k < kSteps; ++k) {
      const double top = y + height * (kSteps - 1 - k) / kSteps;
      canvas.fill(Rect{x, top, 14.0, height / kSteps + 0.5}, sequence_colour(theme, (k + 0.5) / kSteps));
    }
    const Ticks ticks = palette.logarithmic ? log_ticks(palette.low, palette.high, 6)
                                            : linear_ticks(palette.low, palette.high, 6);
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
      const double at = y + height * (1.0 - palette.place(ticks.at[i]));
      canvas.line({x + 14.0, at}, {x + 17.0, at}, {theme.muted, 0.7});
      canvas.text(ticks.labels[i], {x + 20.0, at}, words);
    }
    y += height + 4.0;
    if (ticks.exponent != 0 || ticks.offset != 0.0) {
      canvas.text(fmt::format("{}$10^{{{}}}${}", "\xC3\x97 ", ticks.exponent,
                              ticks.offset != 0.0 ? fmt::format(" + {:.6g}", ticks.offset) : ""),
                  {x, y + 5.0}, words);
      y += 14.0;
    }
  }
  y += 6.0;
  if (palette.has_none) square(palette.none(), "does not happen");
  if (palette.has_skipped) square(palette.skipped(), "skipped");
  if (palette.has_failed) square(palette.failed(), "failed");
  if (palette.has_open) square(palette.open(), "not computed");
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return plain_label(unit.empty() ? name : fmt::format("{} ({})", name, unit));
}

// White below black: seen on every colour of a map.
void draw_overlay(Canvas& canvas, const MapOverlay& overlay, const Frame& frame) {
  for (const auto& [colour, width] : {std::pair{rgb(0xffffff), 2.6}, std::pair{rgb(0x000000), 1.1}}) {
    for (const std::array<Point, 2>& line : overlay.lines)
      canvas.line(frame.place(line[0].x, line[0].y), frame.place(line[1].x, line[1].y), {colour, width});
  }
  for (const Point& dot : overlay.dots) canvas.disc(frame.place(dot.x, dot.y), 0.7, rgb(0xffffff));
}

void draw_map(const SweepFile& sweep, const Slice& slice, std::size_t measure, const Theme& theme,
              const std::string& path, const std::vector<MapOverlay>& overlays) {
  const std::string& name = sweep.results.names[measure];
  Figure figure;
  figure.title = plain_label(name + " of " + sweep.info.scene_name);
  Panel panel{drawn_axis(*slice.across), drawn_axis(*slice.up)};
  panel.x.range = Cells(*slice.across).span();
  panel.y.range = Cells(*slice.up).span();
  figure.panels.push_back(std::move(panel));
  figure.width = 560;
  figure.panel_height = 470;
  Canvas canvas = Canvas::to_file(path, figure.width + kBarRoom, height_of(figure));
  const Drawn drawn = draw(figure, theme, canvas);
  const Rect& place = drawn.frames.front().rect;
  const Palette palette(sweep.results.measures[measure], sweep.results.status, theme);
  canvas.image(map_image(sweep, slice, measure, palette, place), place);
  for (const MapOverlay& one : overlays) draw_overlay(canvas, one, drawn.frames.front());
  canvas.outline(std::vector<Point>{{place.x, place.y},
                                    {place.right(), place.y},
                                    {place.right(), place.bottom()},
                                    {place.x, place.bottom()}},
                 {theme.muted, 0.7});
  draw_key(canvas, theme, palette, place, with_unit(name, unit_of(sweep, name)));
  canvas.finish();
}

// Measures of one column at many times are one picture: what a section shows.
bool is_section(const SweepFile& sweep) {
  const Json plan = Json::parse(sweep.info.plan_json, nullptr, false);
  if (!plan.is_object() || plan["measures"].size() < 8) return false;
  for (const Json& measure : plan["measures"]) {
    if (!measure.contains("at") || measure.value("column", "") != plan["measures"][0].value("column", ""))
      return false;
  }
  return true;
}

Figure curve_figure(const SweepFile& sweep, const SweepAxisValues& axis,
                    const std::vector<std::size_t>& measures, const Theme& theme, bool dots) {
  Figure figure;
  Panel panel{drawn_axis(axis), {}};
  const std::string& first = sweep.results.names[measures.front()];
  const Json plan = Json::parse(sweep.info.plan_json, nullptr, false);
  const std::string what = dots ? plan["measures"][0].value("column", first) : first;
  panel.y.label = plain_label(what);
  panel.y.unit = unit_of(sweep, first);
  panel.y.angle = panel.y.unit == "rad";
  for (const std::size_t m : measures) {
    Curve curve;
    curve.colour = series_colour(theme, 0, 1);
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
      curve.points.push_back({axis.values[i], sweep.results.measures[m][i]});
      // A gap on either side makes a dot of it.
      if (dots) curve.points.push_back({std::nan(""), std::nan("")});
    }
    curve.width = dots ? 0.8 : 1.3;
    panel.curves.push_back(std::move(curve));
  }
  figure.title = plain_label(what + " of " + sweep.info.scene_name);
  figure.panels.push_back(std::move(panel));
  figure.panel_height = dots ? 380 : 240;
  return figure;
}

Figure histogram_figure(const SweepFile& sweep, std::size_t measure, const Theme& theme) {
  std::vector<double> values;
  for (const double value : sweep.results.measures[measure]) {
    if (std::isfinite(value)) values.push_back(value);
  }
  const std::string& name = sweep.results.names[measure];
  Figure figure;
  figure.title = plain_label(name + " of " + sweep.info.scene_name);
  Panel panel;
  panel.x.label = plain_label(name);
  panel.x.unit = unit_of(sweep, name);
  panel.y.label = "cases";
  Histogram bars;
  if (!values.empty()) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double span = *high > *low ? *high - *low : 1.0;
    const auto count =
        static_cast<std::size_t>(std::clamp(std::sqrt(static_cast<double>(values.size())), 8.0, 80.0));
    for (std::size_t k = 0; k <= count; ++k)
      bars.edges.push_back(*low + span * static_cast<double>(k) / static_cast<double>(count));
    bars.counts.assign(count, 0.0);
    for (const double value : values) {
      const double at = (value - *low) / span * static_cast<double>(count);
      bars.counts[std::min(count - 1, static_cast<std::size_t>(at))] += 1.0;
    }
    bars.colour = series_colour(theme, 0, 1);
    double mean = 0.0, square = 0.0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values)
      square += (value - mean) * (value - mean) / static_cast<double>(values.size());
    figure.note = plain_label(fmt::format("{} cases, mean {:.6g}, standard deviation {:.3g}", values.size(),
                                          mean, std::sqrt(square)));
    panel.histogram = std::move(bars);
  }
  figure.panels.push_back(std::move(panel));
  figure.panel_height = 260;
  return figure;
}

}  // namespace

std::vector<SweepPicture> draw_sweep(const SweepFile& sweep, const Theme& theme, const std::string& folder,
                                     const std::vector<std::string>& formats,
                                     const std::vector<MapOverlay>& overlays) {
  std::vector<SweepPicture> out;
  const auto paths = [&](const std::string& name) {
    std::vector<std::string> all;
    for (const std::string& format : formats) all.push_back(fmt::format("{}/{}.{}", folder, name, format));
    return all;
  };
  const std::optional<Slice> slice = slice_of(sweep);
  const SweepAxisValues* line = sweep.info.extents.size() == 1 ? axis_along(sweep, 0) : nullptr;
  const bool is_line = line != nullptr && sweep.info.extents[0].name != "sample" && is_sorted_axis(*line);
  if (!slice && is_line && is_section(sweep)) {
    std::vector<std::size_t> all(sweep.results.names.size());
    for (std::size_t m = 0; m < all.size(); ++m) all[m] = m;
    for (const std::string& path : paths("section"))
      draw(curve_figure(sweep, *line, all, theme, true), theme, path);
    return {{"section", "At many times",
             "one column at all the times that were asked for, over " + in_words(*line)}};
  }
  for (std::size_t m = 0; m < sweep.results.names.size(); ++m) {
    const std::string& name = sweep.results.names[m];
    if (slice) {
      std::string caption = fmt::format("over {} and {}{}", in_words(*slice->across), in_words(*slice->up),
                                        fixed_words(sweep, *slice));
      std::vector<MapOverlay> over, beside;
      for (const MapOverlay& one : overlays) {
        if (!one.measure.empty() && one.measure != name) continue;
        if (one.picture.empty()) caption += "; " + one.words;
        (one.picture.empty() ? over : beside).push_back(one);
      }
      for (const std::string& path : paths(name)) draw_map(sweep, *slice, m, theme, path, over);
      out.push_back({name, name, caption});
      for (const MapOverlay& one : beside) {
        const std::string file = name + "-" + one.picture;
        for (const std::string& path : paths(file)) draw_map(sweep, *slice, m, theme, path, {one});
        out.push_back({file, name + ", " + one.picture, caption + "; " + one.words});
      }
    } else if (is_line) {
      for (const std::string& path : paths(name))
        draw(curve_figure(sweep, *line, {m}, theme, false), theme, path);
      out.push_back({name, name, "over " + in_words(*line)});
    }
    if (slice || is_line) continue;
    for (const std::string& path : paths(name)) draw(histogram_figure(sweep, m, theme), theme, path);
    out.push_back({name, name, "how often"});
  }
  return out;
}

namespace {

// The page's script; %DATA% is what it shows.
constexpr const char* kZoomPage = R"page(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>%TITLE%</title><style>
:root{color-scheme:light dark}body{margin:0;font:14px/1.4 system-ui,sans-serif;display:flex;flex-direction:column;height:100vh}
header{padding:.5rem 1rem;display:flex;gap:1rem;flex-wrap:wrap;align-items:baseline}canvas{flex:1;min-height:0;width:100%;touch-action:none;cursor:crosshair}
#at{font-variant-numeric:tabular-nums}h1{font-size:1rem;margin:0}button,select{font:inherit}
#bar{display:inline-block;width:10rem;height:.8rem;vertical-align:middle}
</style></head><body><header><h1>%TITLE%</h1><label>measure <select id="measure"></select></label>
<span><span id="low"></span> <span id="bar"></span> <span id="high"></span></span>
<button id="all">whole map</button><span id="at">wheel: closer; drag: move; point: numbers</span></header><canvas id="map"></canvas><script>
const d=%DATA%;
const bytes=s=>Uint8Array.from(atob(s),c=>c.charCodeAt(0));
d.measures.forEach(m=>{m.values=new Float32Array(bytes(m.data).buffer)});const status=bytes(d.status);
const palette=d.palette.map(h=>[1,3,5].map(k=>parseInt(h.slice(k,k+2),16)));
const nx=d.x.length,ny=d.y.length,canvas=document.getElementById('map'),ctx=canvas.getContext('2d'),at=document.getElementById('at');
const select=document.getElementById('measure');d.measures.forEach((m,i)=>select.add(new Option(m.name+(m.unit?' ('+m.unit+')':''),i)));
let measure=d.measures[0],image,view={x:0,y:0,scale:1};
const colour=(m,k)=>{if(status[k]==1)return[213,94,0];if(status[k]==2)return[200,203,208];if(status[k]==3)return[140,146,153];
 const v=m.values[k];if(!isFinite(v))return[255,255,255];const t=Math.min(1,Math.max(0,m.log?Math.log(v/m.low)/Math.log(m.high/m.low):(v-m.low)/(m.high-m.low||1)))*(palette.length-1),i=Math.min(palette.length-2,Math.floor(t)),f=t-i;
 return palette[i].map((c,j)=>c+(palette[i+1][j]-c)*f)};
function paint(){const pixels=new ImageData(nx,ny);for(let j=0;j<ny;j++)for(let i=0;i<nx;i++){const c=colour(measure,i*ny+j),o=4*((ny-1-j)*nx+i);pixels.data.set([c[0],c[1],c[2],255],o)}
 image=new OffscreenCanvas(nx,ny);image.getContext('2d').putImageData(pixels,0,0);
 document.getElementById('low').textContent=measure.low.toPrecision(4);document.getElementById('high').textContent=measure.high.toPrecision(4);
 document.getElementById('bar').style.background='linear-gradient(90deg,'+d.palette.join(',')+')';draw()}
const ratio=()=>devicePixelRatio||1,left=()=>72*ratio(),below=()=>44*ratio();
function fit(){const w=canvas.width-left(),h=canvas.height-below(),s=Math.min(w/nx,h/ny);view={scale:s,x:left()+(w-nx*s)/2,y:(h-ny*s)/2}}
// An axis: where a number is on it, in cells, and which number is there.
const spot=(a,v)=>{const n=a.length;if(n<2)return .5;const up=a[n-1]>a[0];let i=0;while(i<n-2&&(up?a[i+1]<v:a[i+1]>v))i++;return i+.5+(v-a[i])/(a[i+1]-a[i])};
const number=(a,p)=>{const n=a.length;if(n<2)return a[0];const i=Math.min(n-2,Math.max(0,Math.floor(p-.5)));return a[i]+(p-.5-i)*(a[i+1]-a[i])};
// Round numbers from one to the other; powers of ten where an axis goes over many.
function ticks(a,log,from,to,count){const low=Math.min(from,to),high=Math.max(from,to),out=[];if(!(high>low))return[low];
 if(log&&low>0&&high/low>30){for(let k=Math.ceil(Math.log10(low));k<=Math.log10(high);k++)out.push(10**k);return out}
 const raw=(high-low)/count,p=10**Math.floor(Math.log10(raw)),s=[1,2,5,10].map(k=>k*p).find(k=>k>=raw);
 for(let k=Math.ceil(low/s);k*s<=high;k++)out.push(+(k*s).toPrecision(12));return out}
function axes(){const r=ratio(),w=canvas.width,h=canvas.height-below();ctx.setTransform(1,0,0,1,0,0);
 ctx.clearRect(0,0,left(),canvas.height);ctx.clearRect(0,h,w,below());ctx.fillStyle=ctx.strokeStyle=getComputedStyle(document.body).color;ctx.font=13*r+'px system-ui,sans-serif';ctx.lineWidth=r;
 const x0=Math.max(left(),view.x),x1=Math.min(w,view.x+nx*view.scale),y0=Math.max(0,view.y),y1=Math.min(h,view.y+ny*view.scale);if(x1<=x0||y1<=y0)return;
 const cx=p=>(p-view.x)/view.scale,cy=p=>ny-(p-view.y)/view.scale,ends=(a,p,q)=>[number(a,Math.max(.5,p)),number(a,Math.min(a.length-.5,q))];
 ctx.textAlign='center';ctx.textBaseline='top';ctx.beginPath();
 for(const v of ticks(d.x,d.log[0],...ends(d.x,cx(x0),cx(x1)),(x1-x0)/(90*r))){const x=view.x+spot(d.x,v)*view.scale;ctx.moveTo(x,y1);ctx.lineTo(x,y1+5*r);ctx.fillText(String(v),x,y1+7*r)}
 ctx.fillText(d.labels[0],(x0+x1)/2,y1+24*r);ctx.textAlign='right';ctx.textBaseline='middle';
 for(const v of ticks(d.y,d.log[1],...ends(d.y,cy(y1),cy(y0)),(y1-y0)/(60*r))){const y=view.y+(ny-spot(d.y,v))*view.scale;ctx.moveTo(x0,y);ctx.lineTo(x0-5*r,y);ctx.fillText(String(v),x0-8*r,y)}
 ctx.stroke();ctx.save();ctx.translate(Math.max(10*r,x0-60*r),(y0+y1)/2);ctx.rotate(-Math.PI/2);ctx.textAlign='center';ctx.fillText(d.labels[1],0,0);ctx.restore()}
function draw(){ctx.setTransform(1,0,0,1,0,0);ctx.clearRect(0,0,canvas.width,canvas.height);ctx.imageSmoothingEnabled=false;ctx.setTransform(view.scale,0,0,view.scale,view.x,view.y);ctx.drawImage(image,0,0);axes()}
function resize(){const r=devicePixelRatio||1;canvas.width=canvas.clientWidth*r;canvas.height=canvas.clientHeight*r;fit();if(image)draw()}
const place=e=>{const r=canvas.getBoundingClientRect(),k=canvas.width/r.width;return[(e.clientX-r.left)*k,(e.clientY-r.top)*k]};
canvas.addEventListener('wheel',e=>{e.preventDefault();const[x,y]=place(e),f=Math.exp(-e.deltaY*0.002);view.x=x-(x-view.x)*f;view.y=y-(y-view.y)*f;view.scale*=f;draw()},{passive:false});
let held=null;canvas.addEventListener('pointerdown',e=>{held=place(e);canvas.setPointerCapture(e.pointerId)});canvas.addEventListener('pointerup',()=>{held=null});
canvas.addEventListener('pointermove',e=>{const p=place(e);if(held){view.x+=p[0]-held[0];view.y+=p[1]-held[1];held=p;draw()}
 const i=Math.floor((p[0]-view.x)/view.scale),j=ny-1-Math.floor((p[1]-view.y)/view.scale);if(i<0||j<0||i>=nx||j>=ny){at.textContent='';return}
 const k=i*ny+j,v=measure.values[k];at.textContent=d.names[0]+' = '+d.x[i].toPrecision(6)+', '+d.names[1]+' = '+d.y[j].toPrecision(6)+': '+measure.name+' = '+(status[k]?['','failed','skipped','not computed'][status[k]]:isFinite(v)?v.toPrecision(7):'does not happen')});
select.onchange=()=>{measure=d.measures[select.value];paint()};document.getElementById('all').onclick=()=>{fit();draw()};addEventListener('resize',resize);
resize();paint();
</script>%NOTE%</body></html>
)page";

std::string base64(const std::string& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= std::min<std::size_t>(3, bytes.size() - i) ? kDigits[group >> (18 - 6 * k) & 63u] : '=';
  }
  return out;
}

void replace(std::string& text, std::string_view what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::string zoom_page(const SweepFile& sweep) {
  constexpr std::size_t kMost = 1024;  // cells along a side: larger maps are thinned out
  const std::optional<Slice> slice = slice_of(sweep);
  if (!slice) return "";
  const std::size_t nx = sweep.results.shape[slice->x], ny = sweep.results.shape[slice->y];
  const std::size_t every_x = (nx + kMost - 1) / kMost, every_y = (ny + kMost - 1) / kMost;
  Json data{{"names", {slice->across->name, slice->up->name}}, {"x", Json::array()}, {"y", Json::array()}};
  for (const SweepAxisValues* axis : {slice->across, slice->up}) {
    data["labels"].push_back(axis->unit.empty() ? axis->name : axis->name + " (" + axis->unit + ")");
    data["log"].push_back(axis->logarithmic);
  }
  for (std::size_t i = 0; i < nx; i += every_x) data["x"].push_back(slice->across->values[i]);
  for (std::size_t j = 0; j < ny; j += every_y) data["y"].push_back(slice->up->values[j]);
  for (int k = 0; k <= 16; ++k)
    data["palette"].push_back(
        fmt::format("#{:06x}", pixel(sequence_colour(light_theme(), k / 16.0)) & 0xffffffu));
  std::string status;
  for (std::size_t m = 0; m < sweep.results.names.size(); ++m) {
    std::string numbers;
    status.clear();
    for (std::size_t i = 0; i < nx; i += every_x) {
      for (std::size_t j = 0; j < ny; j += every_y) {
        const std::size_t at = slice->index(sweep.results, i, j);
        const auto value = static_cast<float>(sweep.results.measures[m][at]);
        numbers.append(reinterpret_cast<const char*>(&value), sizeof value);
        status += static_cast<char>(sweep.results.status[at]);
      }
    }
    const Palette palette(sweep.results.measures[m], sweep.results.status, light_theme());
    data["measures"].push_back({{"name", sweep.results.names[m]},
                                {"unit", unit_of(sweep, sweep.results.names[m])},
                                {"low", palette.low},
                                {"high", palette.high},
                                {"log", palette.logarithmic},
                                {"data", base64(numbers)}});
  }
  data["status"] = base64(status);
  std::string page = kZoomPage;
  replace(page, "%TITLE%",
          escaped(sweep.info.scene_name + ": " + in_words(*slice->across) + ", " + in_words(*slice->up)));
  const bool thinned = every_x > 1 || every_y > 1;
  replace(page, "%NOTE%",
          thinned ? fmt::format("<p>Every {} by {} cases of {} x {} are shown; the file has all.</p>",
                                every_x, every_y, nx, ny)
                  : "");
  replace(page, "%DATA%", data.dump());
  return page;
}

}  // namespace catena::draw
