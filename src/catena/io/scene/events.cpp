// [[events]], and those given beside the scene.
#include <fmt/format.h>

#include <memory>
#include <set>

#include "catena/base/words.h"
#include "catena/io/scene/parts.h"

namespace catena {
namespace {

Event read_event(const Node& node, const std::string& owner, int number, Mistakes& mistakes) {
  Event event;
  event.name = fmt::format("event{}", number);
  read_fields(node, owner, event_fields(), {}, event, mistakes);
  const Node* when = node.find("when");
  if (when == nullptr || when->text() == nullptr) return event;
  event.place = place_of(when->spot);
  if (event.place.line > 0) ++event.place.column;  // behind the opening quote
  if (trimmed(event.when).empty()) mistakes.add(when->spot, owner + ": when is empty; it must be a formula");
  if (!is_name(event.name)) {
    mistakes.add(node.spot,
                 fmt::format("{}: name {} must begin with a letter and have only letters, digits, _ and -",
                             owner, in_quotes(event.name)));
  }
  return event;
}

}  // namespace

std::vector<Event> read_events(const Node& scene, Mistakes& mistakes) {
  std::vector<Event> events;
  const Node* node = scene.find("events");
  if (node == nullptr) return events;
  if (node->list() == nullptr) {
    mistakes.add(node->spot,
                 fmt::format("events must be a list of tables, got {}; write [[events]] with double "
                             "brackets",
                             described(*node)));
    return events;
  }
  std::set<std::string> names;
  for (const Node& entry : *node->list()) {
    if (mistakes.full()) break;
    const int number = static_cast<int>(events.size()) + 1;
    events.push_back(read_event(entry, fmt::format("event {}", number), number, mistakes));
    if (!names.insert(events.back().name).second) {
      mistakes.add(entry.spot, fmt::format("event {}: the name {} is given to two events", number,
                                           in_quotes(events.back().name)));
    }
  }
  return events;
}

void add_event(Node& scene, const std::string& text, Mistakes& mistakes) {
  const SharedPlace spot{std::make_shared<const std::string>("--event " + one_line(text)), 0, 0};
  Node event{spot, Node::Table{}};
  if (!trimmed(text).empty() && trimmed(text).front() == '{') {
    const auto value = value_from_toml(text, spot, mistakes);
    if (!value) return;
    event = *value;
  } else {
    event.table()->push_back({"when", spot, Node{spot, text}});
  }
  if (scene.find("events") == nullptr) scene.table()->push_back({"events", spot, Node{spot, Node::List{}}});
  Node* events = scene.find("events");
  if (events->list() != nullptr) events->list()->push_back(std::move(event));
}

}  // namespace catena
