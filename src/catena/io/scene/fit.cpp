#include "catena/io/scene/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "catena/base/words.h"
#include "catena/io/scene/parts.h"

namespace catena {
namespace {

constexpr const char* kFitOwner = "fit";
constexpr int kMostSegments = 100'000;

class FitReading {
 public:
  FitReading(const Node& node, Mistakes& mistakes) : node_(node), mistakes_(mistakes) {}

  FitPlan take() {
    FitEntry entry;
    const std::size_t before = mistakes_.count();
    read_fields(node_, kFitOwner, fit_fields(), {"free"}, entry, mistakes_);
    if (mistakes_.count() > before) return out_;
    out_.scene = entry.scene;
    out_.place = place_of(node_.spot);
    set_observe(entry);
    set_named(entry.parameters, "parameters", out_.parameters);
    set_named(entry.noise, "noise", out_.noise);
    check_noise();
    out_.loss = entry.loss == "huber" ? Loss::huber : entry.loss == "cauchy" ? Loss::cauchy : Loss::squares;
    set_segments(entry.segments);
    set_free();
    return out_;
  }

 private:
  void complain(const SharedPlace& spot, const std::string& what) {
    mistakes_.add(spot, fmt::format("{}: {}", kFitOwner, what));
  }

  void set_observe(const FitEntry& entry) {
    const Node* table = node_.find("observe");
    if (table == nullptr) return;
    check_formula_names(*table->table(), kFitOwner, "observed name", {"t", "pi"}, mistakes_);
    for (const auto& [name, formula] : entry.observe.values) {
      Place place = place_of(table->find(name)->spot);
      if (place.line > 0) ++place.column;  // behind the opening quote
      out_.observe.push_back({name, formula, place});
    }
  }

  void set_named(const Parameters& values, const char* key, std::vector<FitPlan::Named>& to) {
    const Node* table = node_.find(key);
    if (table == nullptr) return;
    if (std::string_view(key) == "parameters") check_parameters(*table, kFitOwner, {"t"}, mistakes_);
    for (const auto& [name, value] : values)
      to.push_back({name, value, place_of(spot_of_entry(*table, name))});
  }

  void check_noise() {
    for (const FitPlan::Named& one : out_.noise) {
      if (one.value > 0.0) continue;
      complain(spot_of_entry(*node_.find("noise"), one.name),
               fmt::format("noise of {} must be positive, got {}; leave it out and it is estimated",
                           in_quotes(one.name), number_text(one.value)));
    }
  }

  void set_segments(const std::string& written) {
    if (written == "auto") return;
    const auto number = leading_number(written);
    if (number && number->rest.empty() && number->value >= 1.0 && number->value <= kMostSegments &&
        number->value == std::floor(number->value)) {
      out_.segments = static_cast<int>(number->value);
      return;
    }
    complain(node_.find("segments")->spot,
             fmt::format("segments must be a whole number from 1 to {}, or \"auto\", got {}", kMostSegments,
                         in_quotes(written)));
  }

  void set_free() {
    const Node* list = node_.find("free");
    if (list == nullptr) return;
    if (list->list() == nullptr)
      return complain(list->spot, "free must be a list of tables; write [[fit.free]] with double brackets");
    for (const Node& node : *list->list()) {
      const std::string owner = fmt::format("fit.free {}", out_.free.size() + 1);
      FreeEntry entry;
      const std::size_t before = mistakes_.count();
      read_fields(node, owner, free_fields(), {}, entry, mistakes_);
      FreeKey& made = out_.free.emplace_back();
      if (mistakes_.count() == before) set_free(node, owner, entry, made);
    }
  }

  void set_free(const Node& node, const std::string& owner, const FreeEntry& entry, FreeKey& made) {
    const Node* key = node.find("key");
    made = {entry.key, entry.low, entry.high, {}, {}, place_of(key->spot)};
    if (entry.low && entry.high && !(*entry.low < *entry.high))
      mistakes_.add(node.find("high")->spot, fmt::format("{}: high must be above low, got {} and {}", owner,
                                                         number_text(*entry.high), number_text(*entry.low)));
    const Node* prior = node.find("prior");
    if (prior == nullptr) return;
    if (entry.prior.size() != 2 || !(entry.prior[1] > 0.0)) {
      mistakes_.add(prior->spot,
                    owner + ": prior must be [mean, standard deviation], the second one positive");
      return;
    }
    made.prior_mean = entry.prior[0];
    made.prior_error = entry.prior[1];
  }

  const Node& node_;
  Mistakes& mistakes_;
  FitPlan out_;
};

// ---- numbers in the text
// -------------------------------------------------------------------------------------

// Whether the keys that these parts of a path go through are unambiguous in a document, and where the value
// stands.
const Node* value_at(const Node& document, const std::string& path) {
  const Node* node = &document;
  for (const std::string& part : components(path)) {
    if (const Node::List* list = node->list()) {
      const std::size_t item = item_named(*list, part);
      if (item == list->size()) return nullptr;
      node = &(*list)[item];
    } else {
      node = node->find(part);
      if (node == nullptr) return nullptr;
    }
  }
  return node;
}

std::size_t offset_of(std::string_view text, int line, int column) {
  std::size_t at = 0;
  for (int i = 1; i < line; ++i) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return text.size();
    ++at;
  }
  return std::min(text.size(), at + static_cast<std::size_t>(std::max(0, column - 1)));
}

// How long the value that begins there is: a quoted text on one line, or a plain number. 0: neither.
std::size_t value_length(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  if (text[at] == '"' || text[at] == '\'') {
    const std::size_t end = text.find(text[at], at + 1);
    const bool is_plain = end != std::string_view::npos &&
                          text.substr(at, end - at).find_first_of("\\\n") == std::string_view::npos;
    return is_plain && end > at + 1 ? end + 1 - at : 0;
  }
  const std::size_t end = std::min(text.find_first_not_of("0123456789+-.eE_", at), text.size());
  return end - at;
}

// Whether the text has these numbers in these places.
bool says(const std::string& text, const std::vector<std::string>& paths, const std::vector<double>& values) {
  try {
    const Node document = document_from(text, "<scene>");
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const Node* value = value_at(document, paths[i]);
      const double* number = value == nullptr ? nullptr : std::get_if<double>(&value->value);
      if (number == nullptr || *number != values[i]) return false;
    }
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::optional<FitPlan> read_fit(const Node& document, Mistakes& mistakes) {
  const Node* node = document.find("fit");
  if (node == nullptr) return std::nullopt;
  return FitReading(*node, mistakes).take();
}

std::optional<FitPlan> read_fit(std::string_view text, const SceneOptions& options) {
  Mistakes mistakes;
  Node document = document_from(text, options.source);
  for (const std::string& one : options.overrides) {
    if (one.rfind("fit.", 0) == 0) apply_override(document, one, mistakes);
  }
  std::optional<FitPlan> plan = read_fit(document, mistakes);
  if (!plan) return plan;
  const Node* scene = document.find("scene");
  if (scene != nullptr && scene->text() != nullptr) plan->scene = *scene->text();
  if (!plan->scene.empty() && document.find("simulation") != nullptr) {
    mistakes.add(scene != nullptr ? scene->spot : document.find("fit")->find("scene")->spot,
                 "scene is for files that have a [fit] alone; this one is a scene itself");
  } else if (!plan->scene.empty()) {
    check_keys(*document.table(), "a fit", {"scene", "fit"}, mistakes);
  }
  mistakes.throw_if_any();
  return plan;
}

ChangedText text_with_numbers(std::string_view text, const std::string& json,
                              const std::vector<std::string>& paths, const std::vector<double>& values) {
  struct Change {
    std::size_t at, length;
    std::string value;
  };
  const auto rewritten = [&] {
    Mistakes mistakes;
    Node document = document_from_json(json, "<scene>");
    for (std::size_t i = 0; i < paths.size(); ++i)
      apply_override(document, fmt::format("{}={:.17e}", paths[i], values[i]), mistakes);
    mistakes.throw_if_any();
    return ChangedText{scene_as_toml(json_text(document)), true};
  };
  const Node document = document_from(text, "<scene>");
  std::vector<Change> changes;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const Node* value = value_at(document, paths[i]);
    if (value == nullptr || value->spot.line == 0 || value->list() != nullptr || value->table() != nullptr)
      return rewritten();
    const std::size_t at = offset_of(text, value->spot.line, value->spot.column);
    const std::size_t length = value_length(text, at);
    if (length == 0) return rewritten();
    std::string written = number_text(values[i]);
    if (written.find_first_of(".en") == std::string::npos) written += ".0";
    changes.push_back({at, length, std::move(written)});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at > b.at; });
  std::string out(text);
  for (const Change& one : changes) out.replace(one.at, one.length, one.value);
  return says(out, paths, values) ? ChangedText{std::move(out), false} : rewritten();
}

}  // namespace catena
