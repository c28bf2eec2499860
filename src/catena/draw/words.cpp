#include "catena/draw/words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "catena/draw/canvas.h"

namespace catena::draw {
namespace {

struct Pair {
  std::string_view english, japanese;
};

constexpr std::array kWords = {
    Pair{"Time", "時刻"},
    Pair{"link", "リンク"},
    Pair{"bob", "おもり"},
    Pair{"Link", "リンク"},
    Pair{"total", "全体"},
    Pair{"Position", "位置"},
    Pair{"Velocity", "速度"},
    Pair{"Angles", "角度"},
    Pair{"Rates of the angles", "角速度"},
    Pair{"Polar angle", "極角"},
    Pair{"Azimuth", "方位角"},
    Pair{"Rate of the polar angle", "極角の速度"},
    Pair{"Rate of the azimuth", "方位角の速度"},
    Pair{"Chart (1: pole z, 0: pole x)", "座標系（1: z 極、0: x 極）"},
    Pair{"Directions", "方向"},
    Pair{"Direction", "方向"},
    Pair{"Angular velocities", "角速度ベクトル"},
    Pair{"Angular velocity", "角速度"},
    Pair{"Reactions", "反力"},
    Pair{"Tension", "張力"},
    Pair{"Strain", "ひずみ"},
    Pair{"Force of the pivot", "支点の力"},
    Pair{"Reaction force", "反力"},
    Pair{"Reaction torque", "反トルク"},
    Pair{"Joint angle", "関節角"},
    Pair{"Joint travel", "関節変位"},
    Pair{"Joint rate", "関節速度"},
    Pair{"Joints", "関節"},
    Pair{"Orientation", "姿勢"},
    Pair{"Linear momentum", "運動量"},
    Pair{"Angular momentum", "角運動量"},
    Pair{"Total linear momentum", "全運動量"},
    Pair{"Total angular momentum", "全角運動量"},
    Pair{"Energies of the links", "各リンクのエネルギー"},
    Pair{"Energies", "エネルギー"},
    Pair{"Energy", "エネルギー"},
    Pair{"Kinetic energy", "運動エネルギー"},
    Pair{"Potential energy", "位置エネルギー"},
    Pair{"Elastic energy", "弾性エネルギー"},
    Pair{"Total energy", "全エネルギー"},
    Pair{"kinetic", "運動"},
    Pair{"potential", "位置"},
    Pair{"elastic", "弾性"},
    Pair{"dissipated", "散逸"},
    Pair{"work", "仕事"},
    Pair{"balance", "収支"},
    Pair{"Energy error", "エネルギー誤差"},
    Pair{"Numerics", "数値計算"},
    Pair{"Step size", "刻み幅"},
    Pair{"Constraint error", "拘束誤差"},
    Pair{"Rank", "階数"},
    Pair{"Share of the time", "時間の割合"},
    Pair{"Step sizes", "刻み幅の分布"},
    Pair{"States", "状態"},
    Pair{"Invariants", "保存量"},
    Pair{"Changes of the invariants", "保存量の変化"},
    Pair{"Phase portraits", "位相図"},
    Pair{"Adjacent angles", "隣り合うリンクの角度"},
    Pair{"Paths in space", "空間の軌跡"},
    Pair{"Paths in projection", "軌跡の投影"},
    Pair{"Distance from the other run", "別の計算との距離"},
    Pair{"Distance", "距離"},
    Pair{"rings {} m apart", "輪の間隔 {} m"},
    Pair{"{} of {} links", "{} / {} リンク"},
    Pair{"Accuracy against cost", "精度と計算量"},
    Pair{"Error", "誤差"},
    Pair{"Computing time", "計算時間"},
    Pair{"Evaluations", "評価回数"},
    Pair{"Mean absolute error (MAE) of total energy", "全エネルギーの平均絶対誤差 (MAE)"},
    Pair{"Calculation speed", "計算速度"},
    Pair{"simulated seconds per second", "実時間比"},
    Pair{"Energy error over time", "エネルギー誤差の推移"},
    Pair{"Step size over time", "刻み幅の推移"},
    Pair{"Methods compared", "手法の比較"},
    Pair{"Relative energy error", "相対エネルギー誤差"},
    Pair{"Position error", "位置誤差"},
    Pair{"Error of the states", "状態の誤差"},
    Pair{"failed", "失敗"},
};

std::vector<QuantityName> make_names() {
  std::vector<QuantityName> out;
  const auto add = [&](QuantityName name) { out.push_back(std::move(name)); };
  const auto vector = [&](const std::string& prefix, const std::string& suffix, const std::string& figure,
                          const std::string& letter, const std::string& words, const std::string& unit) {
    for (const char* axis : {"x", "y", "z"}) {
      const std::string stem = prefix + axis + suffix;
      const std::string symbol = letter.empty() ? std::string(axis) : letter + "_" + axis;
      add({stem, figure, stem, symbol, words, unit, !suffix.empty()});
    }
  };
  vector("", "", "position", "", "Position", "m");
  vector("v", "", "velocity", "v", "Velocity", "m/s");
  add({"theta", "angles", "theta", "θ", "Polar angle", "rad", false, true});
  add({"phi", "angles", "phi", "φ", "Azimuth", "rad", false, true});
  add({"theta_dot", "rates", "theta_dot", "\\dot θ", "Rate of the polar angle", "rad/s"});
  add({"phi_dot", "rates", "phi_dot", "\\dot φ", "Rate of the azimuth", "rad/s"});
  add({"pole", "pole", "pole", "", "Chart (1: pole z, 0: pole x)", ""});
  vector("u", "", "direction", "u", "Direction", "");
  vector("w", "", "rotation", "ω", "Angular velocity", "rad/s");
  for (const char* part : {"w", "x", "y", "z"}) {
    add({std::string("q") + part, "orientation", std::string("q") + part, std::string("q_") + part,
         "Orientation", ""});
  }
  add({"tension", "tension", "tension", "T", "Tension", "N"});
  add({"strain", "strain", "strain", "ε", "Strain", ""});
  vector("f", "", "forces", "F", "Reaction force", "N");
  vector("m", "", "torques", "M", "Reaction torque", "N\u2009m");
  add({"angle", "joints", "angle", "α", "Joint angle", "rad", false, true});
  add({"travel", "joints", "travel", "s", "Joint travel", "m"});
  add({"angle_dot", "joint-rates", "angle_dot", "\\dot α", "Joint rate", "rad/s"});
  add({"travel_dot", "joint-rates", "travel_dot", "\\dot s", "Joint rate", "m/s"});
  vector("p", "", "momentum", "p", "Linear momentum", "kg\u2009m/s");
  add({"p", "momentum", "p", "|p|", "Linear momentum", "kg\u2009m/s"});
  vector("l", "", "angular-momentum", "L", "Angular momentum", "kg\u2009m²/s");
  add({"l", "angular-momentum", "l", "|L|", "Angular momentum", "kg\u2009m²/s"});
  add({"kinetic", "link-energies", "kinetic", "T", "Kinetic energy", "J"});
  add({"potential", "link-energies", "potential", "V", "Potential energy", "J"});
  add({"elastic", "link-energies", "elastic", "U", "Elastic energy", "J"});
  add({"energy", "link-energies", "energy", "E", "Energy", "J"});
  vector("p", "_total", "total-momentum", "P", "Total linear momentum", "kg\u2009m/s");
  add({"p_total", "total-momentum", "p_total", "|P|", "Total linear momentum", "kg\u2009m/s", true});
  vector("l", "_total", "total-angular-momentum", "L", "Total angular momentum", "kg\u2009m²/s");
  add({"l_total", "total-angular-momentum", "l_total", "|L|", "Total angular momentum", "kg\u2009m²/s",
       true});
  add({"kinetic", "energies", "energies", "T", "kinetic", "J", true});
  add({"potential", "energies", "energies", "V", "potential", "J", true});
  add({"elastic", "energies", "energies", "U", "elastic", "J", true});
  add({"energy", "energies", "energies", "E", "total", "J", true});
  add({"dissipated", "energies", "energies", "D", "dissipated", "J", true});
  add({"work", "energies", "energies", "W", "work", "J", true});
  add({"balance", "energies", "energies", "E+D-W", "balance", "J", true});
  add({"energy_error", "energies", "energy_error", "E\u2009-\u2009E_0", "Energy error", "J", true});
  add({"step_size", "run", "step_size", "h", "Step size", "s", true});
  add({"constraint_error", "run", "constraint_error", "", "Constraint error", "", true});
  add({"rank", "run", "rank", "", "Rank", "", true});
  return out;
}

struct Group {
  std::string_view name;
  std::string_view figures;  // with blanks around each
};

constexpr std::array kGroups = {
    Group{"position", " position "},
    Group{"velocity", " velocity "},
    Group{"angles", " angles rates pole "},
    Group{"direction", " direction orientation "},
    Group{"rotation", " rotation "},
    Group{"reactions", " tension strain forces torques "},
    Group{"momentum", " momentum angular-momentum total-momentum total-angular-momentum "},
    Group{"energies", " link-energies energies "},
    Group{"run", " run "},
};

constexpr std::array kTitles = {
    Pair{"position", "Position"},
    Pair{"velocity", "Velocity"},
    Pair{"angles", "Angles"},
    Pair{"rates", "Rates of the angles"},
    Pair{"coordinates", "Coordinates"},
    Pair{"coordinate-rates", "Rates of the coordinates"},
    Pair{"states", "States"},
    Pair{"invariants", "Invariants"},
    Pair{"invariant-errors", "Changes of the invariants"},
    Pair{"pole", "Chart (1: pole z, 0: pole x)"},
    Pair{"direction", "Directions"},
    Pair{"rotation", "Angular velocities"},
    Pair{"orientation", "Orientation"},
    Pair{"tension", "Tension"},
    Pair{"strain", "Strain"},
    Pair{"forces", "Reactions"},
    Pair{"torques", "Reaction torque"},
    Pair{"joints", "Joints"},
    Pair{"joint-rates", "Joint rate"},
    Pair{"momentum", "Linear momentum"},
    Pair{"angular-momentum", "Angular momentum"},
    Pair{"total-momentum", "Total linear momentum"},
    Pair{"total-angular-momentum", "Total angular momentum"},
    Pair{"link-energies", "Energies of the links"},
    Pair{"energies", "Energies"},
    Pair{"run", "Numerics"},
    Pair{"phase", "Phase portraits"},
    Pair{"adjacent", "Adjacent angles"},
    Pair{"paths", "Paths in space"},
    Pair{"projections", "Paths in projection"},
    Pair{"steps", "Step sizes"},
    Pair{"distance", "Distance from the other run"},
};

struct Caption {
  std::string_view figure, english, japanese;
};

constexpr std::array kCaptions = {
    Caption{"paths",
            "Where the bobs went, newest parts darkest; the chain at the start (pale) and at the end.",
            "おもりの軌跡。新しいほど濃い。鎖は始め（淡色）と終わりの姿。"},
    Caption{"projections", "The same paths seen along the axes.", "座標軸の方向から見た軌跡。"},
    Caption{"angles",
            "Angles of the links from straight down, and around the vertical. In a plane the angle counts "
            "turns; in "
            "space it lies between 0 and π.",
            "鉛直下向きからの角度と、鉛直軸まわりの角度。"},
    Caption{"rates", "How fast the angles change. At a pole the rate of the azimuth has no value.",
            "角度の変化の速さ。極では方位角の速度は定まらない。"},
    Caption{"energies",
            "Kinetic and potential energy are exchanged, their sum stays. Below: how far the sum strays from "
            "its start.",
            "運動エネルギーと位置エネルギーは入れ替わり、和は変わらない。下は和の初期値からのずれ。"},
    Caption{"phase", "Each link's angle against its rate.", "各リンクの角度と角速度。"},
    Caption{"adjacent", "The angle of each link against that of the next one.",
            "各リンクと次のリンクの角度。"},
    Caption{"tension", "Pull along each link at its upper joint; negative where it pushes.",
            "各リンクの上端での張力。負は圧縮。"},
    Caption{"strain", "Stretch of each elastic link over its length at rest.",
            "弾性リンクの伸びと自然長の比。"},
    Caption{"forces", "Forces of the joints.", "関節の力。"},
    Caption{"run", "The integrator's step, and how well the links keep their lengths.",
            "積分の刻み幅と、リンクの長さの保たれ方。"},
    Caption{"steps", "How much of the time was covered by steps of which size.",
            "刻み幅の分布（時間の割合）。"},
    Caption{"distance", "How far the bobs of the two runs are apart.", "二つの計算でのおもりの距離。"},
};

}  // namespace

std::optional<Language> language_called(std::string_view code) {
  if (code == "en") return Language::english;
  if (code == "ja") return Language::japanese;
  return std::nullopt;
}

Language writable(Language wanted) {
  const bool lacks_font = wanted == Language::japanese && !can_write("時刻のエネルギー");
  return lacks_font ? Language::english : wanted;
}

std::string in_words(std::string_view english, Language language) {
  if (language == Language::english) return std::string(english);
  const auto* found =
      std::find_if(kWords.begin(), kWords.end(), [&](const Pair& pair) { return pair.english == english; });
  return std::string(found == kWords.end() ? english : found->japanese);
}

const std::vector<QuantityName>& quantity_names() {
  static const std::vector<QuantityName> all = make_names();
  return all;
}

const QuantityName* find_quantity(std::string_view stem, bool total) {
  const auto& all = quantity_names();
  const auto found = std::find_if(all.begin(), all.end(), [&](const QuantityName& name) {
    return name.stem == stem && name.total == total;
  });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> stems_of_group(std::string_view group) {
  std::vector<std::string> stems;
  for (const Group& candidate : kGroups) {
    if (candidate.name != group) continue;
    for (const QuantityName& name : quantity_names()) {
      const std::string framed = " " + name.figure + " ";
      if (candidate.figures.find(framed) != std::string_view::npos) stems.push_back(name.stem);
    }
  }
  return stems;
}

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const Group& group : kGroups) names.emplace_back(group.name);
  return names;
}

std::string figure_title(std::string_view figure, Language language) {
  for (const Pair& title : kTitles) {
    if (title.english == figure) return in_words(title.japanese, language);
  }
  return std::string(figure);
}

std::string figure_caption(std::string_view figure, Language language) {
  for (const Caption& caption : kCaptions) {
    if (caption.figure == figure) {
      return std::string(language == Language::japanese ? caption.japanese : caption.english);
    }
  }
  const std::string title = figure_title(figure, language);
  return language == Language::japanese ? title + "。" : title + " over time.";
}

}  // namespace catena::draw
