#include "catena/draw/label.h"

#include <fmt/format.h>

#include <cmath>

namespace catena::draw {
namespace {

constexpr double kScriptScale = 0.72;

class Reader {
 public:
  explicit Reader(std::string_view label) : in_(characters(label)) {}

  std::vector<LabelRun> runs() {
    bool math = false;
    while (at_ < in_.size()) {
      const char32_t c = in_[at_];
      if (c == '\\' && at_ + 1 < in_.size() && (in_[at_ + 1] == '$' || in_[at_ + 1] == '\\')) {
        put(in_[at_ + 1], {});
        at_ += 2;
      } else if (c == '$') {
        math = !math;
        ++at_;
      } else if (math) {
        read_math({});
      } else {
        put(c, {});
        ++at_;
      }
    }
    return std::move(out_);
  }

 private:
  bool takes(std::u32string_view word) {
    if (std::u32string_view(in_.data() + at_, in_.size() - at_).substr(0, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  // One character, script or group of mathematics.
  void read_math(const LabelRun& style) {
    if (takes(U"\\dot")) {
      skip_blanks();
      LabelRun dotted = style;
      dotted.dotted = true;
      read_argument(dotted);
    } else if (takes(U"\\times")) {
      put(U'\u00d7', style);
    } else if (takes(U"_")) {
      read_argument(script(style, -0.18));
    } else if (takes(U"^")) {
      read_argument(script(style, 0.36));
    } else if (at_ < in_.size()) {
      const char32_t c = in_[at_++];
      LabelRun mine = style;
      mine.italic = is_letter(c);
      put(c == '-' ? U'\u2212' : c, mine);
    }
  }

  void read_argument(const LabelRun& style) {
    if (!takes(U"{")) return read_math(style);
    while (at_ < in_.size() && in_[at_] != '}') read_math(style);
    ++at_;
  }

  void skip_blanks() {
    while (at_ < in_.size() && in_[at_] == ' ') ++at_;
  }

  static LabelRun script(LabelRun style, double rise) {
    style.rise += rise * style.scale;
    style.scale *= kScriptScale;
    return style;
  }

  static bool is_letter(char32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= 0x3b1 && c <= 0x3c9);
  }

  void put(char32_t c, const LabelRun& style) {
    const bool same = !out_.empty() && !style.dotted && !out_.back().dotted &&
                      out_.back().italic == style.italic && out_.back().scale == style.scale &&
                      out_.back().rise == style.rise;
    if (!same) {
      out_.push_back(style);
      out_.back().text.clear();
    }
    out_.back().text += utf8(c);
  }

  std::vector<char32_t> in_;
  std::size_t at_ = 0;
  std::vector<LabelRun> out_;
};

}  // namespace

std::vector<char32_t> characters(std::string_view text) {
  std::vector<char32_t> out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    int followers = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
    char32_t point = followers == 0 ? lead : lead & (0x3fu >> followers);
    for (; followers > 0 && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0u) == 0x80;
         --followers) {
      point = point << 6 | (static_cast<unsigned char>(text[i++]) & 0x3fu);
    }
    out.push_back(point);
  }
  return out;
}

std::string utf8(char32_t c) {
  std::string out;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
  return out;
}

std::vector<LabelRun> label_runs(std::string_view label) { return Reader(label).runs(); }

std::string plain_label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '$' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string number_label(double value, int digits) {
  if (value == 0.0) return "0";
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "\u221e" : "-\u221e";
  const std::string text = fmt::format("{:.{}e}", value, std::max(0, digits - 1));
  const std::size_t e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  if (exponent >= -3 && exponent < 5) return fmt::format("{:.15g}", std::stod(text));
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  const std::string power = fmt::format("10^{{{}}}", exponent);
  if (mantissa == "1") return power;
  return mantissa == "-1" ? "-" + power : mantissa + "\\times" + power;
}

}  // namespace catena::draw
