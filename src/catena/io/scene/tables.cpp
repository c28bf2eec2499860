// Tables in formulas: table("file.csv", x) and table("file.csv", x, "column") with the rows in the place of
// the file.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <vector>

#include "catena/base/words.h"
#include "catena/expr/table.h"
#include "catena/io/scene/parts.h"

namespace catena {
namespace {

constexpr std::string_view kWord = "table";
constexpr std::size_t kNowhere = std::string_view::npos;

bool is_part_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_quote(char c) { return c == '"' || c == '\''; }
std::size_t without_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

// One call in a formula: table(" .. ", argument) or table(" .. ", argument, "column"). Ends are behind the
// last character.
struct Call {
  std::size_t begin = 0, end = 0;
  std::string_view rows, argument, column;

  std::size_t begin_of_argument(std::string_view text) const {
    return static_cast<std::size_t>(argument.data() - text.data());
  }
  // The text of a table's rows has more than one row; a file has a name.
  bool names_a_file() const { return rows.find_first_of(";\n") == kNowhere; }
};

// The next call at or behind `from`; what is none is left to those who read formulas.
std::optional<Call> next_call(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(kWord, from); at != kNowhere; at = text.find(kWord, at + 1)) {
    if (at > 0 && is_part_of_name(text[at - 1])) continue;
    std::size_t open = without_blanks(text, at + kWord.size());
    if (open >= text.size() || text[open] != '(') continue;
    const std::size_t quote = without_blanks(text, open + 1);
    if (quote >= text.size() || !is_quote(text[quote])) continue;
    const std::size_t closed = text.find(text[quote], quote + 1);
    if (closed == kNowhere) return std::nullopt;
    const std::size_t comma = without_blanks(text, closed + 1);
    if (comma >= text.size() || text[comma] != ',') continue;
    Call call{at, 0, text.substr(quote + 1, closed - quote - 1), {}, {}};
    std::size_t end = comma + 1, depth = 0;
    for (; end < text.size(); ++end) {
      if (text[end] == '(') ++depth;
      if (text[end] == ')' && depth-- == 0) break;
      const std::size_t name = without_blanks(text, end + 1);
      const bool names_column = text[end] == ',' && depth == 0 && name < text.size() && is_quote(text[name]);
      if (!names_column) continue;
      const std::size_t behind = text.find(text[name], name + 1);
      if (behind == kNowhere) return std::nullopt;
      call.argument = text.substr(comma + 1, end - comma - 1);
      call.column = text.substr(name + 1, behind - name - 1);
      end = without_blanks(text, behind + 1);
      break;
    }
    if (end >= text.size() || text[end] != ')') return std::nullopt;
    if (call.argument.empty()) call.argument = text.substr(comma + 1, end - comma - 1);
    call.end = end + 1;
    return call;
  }
  return std::nullopt;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  const bool commas = line.find(',') != kNowhere;
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find_first_of(commas ? "," : " \t", at), line.size());
    const std::string_view word = trimmed(line.substr(at, end - at));
    if (commas || !word.empty()) out.push_back(word);
    at = end + 1;
  }
  return out;
}

std::optional<double> number_of(std::string_view text) {
  const auto number = leading_number(text);
  return number && number->rest.empty() ? std::optional(number->value) : std::nullopt;
}

// The rows of two columns of a CSV file: of its first one, and of `column`, or the second one of two. Lines
// that begin with # are comments; names may stand in the first line. What is wrong goes to `mistake`.
class TableFile {
 public:
  TableFile(std::string path, std::string column) : path_(std::move(path)), column_(std::move(column)) {}

  std::string rows(std::string& mistake) {
    std::ifstream in(path_);
    if (!in) {
      mistake =
          "cannot be opened; name a CSV file, or write its rows in its place: table(\"0 1; 0.5 2; 1 4\", t)";
      return "";
    }
    std::string out;
    bool first = true;
    for (std::string line; std::getline(in, line);) {
      ++line_;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      const std::string_view text = trimmed(line);
      if (text.empty() || text[0] == '#') continue;
      const std::vector<std::string_view> fields = fields_of(text);
      if (first && !begin(fields, mistake)) return "";
      if (fields.size() != columns_) {
        mistake = fmt::format("line {}: has {} columns and not {}", line_, fields.size(), columns_);
        return "";
      }
      const bool names = first && !number_of(fields[0]);
      first = false;
      if (names) continue;
      if (!add(fields, out, mistake)) return "";
    }
    if (in.bad()) mistake = "cannot be read to its end";
    return out;
  }

 private:
  bool begin(const std::vector<std::string_view>& fields, std::string& mistake) {
    columns_ = fields.size();
    const bool names = !number_of(fields[0]);
    if (!column_.empty()) {
      at_ = static_cast<std::size_t>(std::find(fields.begin(), fields.end(), column_) - fields.begin());
      if (!names || at_ == fields.size() || at_ == 0) {
        std::vector<std::string> there(fields.begin() + (names ? 1 : 0), fields.end());
        mistake = names ? fmt::format("has no column {} beside the first; it has {}", in_quotes(column_),
                                      listed(there, ""))
                        : fmt::format("has no names in its first line, so none is {}", in_quotes(column_));
        return false;
      }
    } else if (fields.size() != 2) {
      mistake = fmt::format("has {} columns; say which by its name: table(\"file.csv\", t, \"height\")",
                            fields.size());
      return false;
    }
    return true;
  }

  bool add(const std::vector<std::string_view>& fields, std::string& out, std::string& mistake) const {
    for (const std::size_t i : {std::size_t{0}, at_}) {
      const auto number = number_of(fields[i]);
      if (!number) {
        mistake = fmt::format("line {}: {} is no number", line_, in_quotes(fields[i]));
        return false;
      }
      out += (i == 0 ? (out.empty() ? "" : "; ") : " ") + number_text(*number);
    }
    return true;
  }

  std::string path_, column_;
  std::size_t columns_ = 0;  // of the first line
  std::size_t at_ = 1;       // which of them
  std::size_t line_ = 0;
};

void put_inside(Node& node, Mistakes& mistakes) {
  std::string& text = std::get<std::string>(node.value);
  std::size_t from = 0;
  while (const auto call = next_call(text, from)) {
    from = call->begin_of_argument(text);
    if (!call->names_a_file()) {
      if (!call->column.empty())
        mistakes.add(node.spot, fmt::format("table: a column, {}, is for files: rows have two numbers",
                                            in_quotes(call->column)));
      continue;
    }
    std::string mistake;
    const std::string name(call->rows);
    std::string rows = TableFile(beside(node, name), std::string(call->column)).rows(mistake);
    if (mistake.empty()) mistake = expr::table_rows(rows).mistake;
    if (!mistake.empty()) {
      mistakes.add(node.spot, fmt::format("table: {}: {}", in_quotes(name), mistake));
      rows = "0 0; 1 1";  // the other mistakes of this formula are found as well
    }
    const std::string head = fmt::format("table(\"{}\",", rows), argument(call->argument);
    text.replace(call->begin, call->end - call->begin, head + argument + ")");
    from = call->begin + head.size();
  }
}

void walk(Node& node, Mistakes& mistakes) {
  if (node.text() != nullptr && node.text()->find(kWord) != kNowhere) put_inside(node, mistakes);
  if (Node::List* list = node.list()) {
    for (Node& item : *list) walk(item, mistakes);
  }
  if (Node::Table* table = node.table()) {
    for (Entry& entry : *table) walk(entry.value, mistakes);
  }
}

}  // namespace

void put_tables_inside(Node& scene, Mistakes& mistakes) {
  if (scene.table() == nullptr) return;
  for (Entry& entry : *scene.table()) {
    if (entry.key != "plot" && entry.key != "output") walk(entry.value, mistakes);
  }
}

void warn_of_short_tables(const Scene& scene, Mistakes& mistakes) {
  for (const WrittenFormula& formula : scene.formulas) {
    std::size_t from = 0;
    while (const auto call = next_call(formula.text, from)) {
      from = call->begin_of_argument(formula.text);
      const expr::TableRows rows = expr::table_rows(call->rows);
      if (trimmed(call->argument) != "t" || rows.x.empty()) continue;
      if (rows.x.front() <= 0.0 && rows.x.back() >= scene.simulation.duration) continue;
      const Place& place = formula.place;
      const SharedPlace spot{std::make_shared<const std::string>(place.source), place.line, place.column};
      mistakes.warn(
          spot, fmt::format(
                    "{}: {}: the table goes from t = {} s to {} s, the run from 0 to {} s: outside of it the "
                    "table keeps its first or its last value",
                    formula.owner, formula.key, number_text(rows.x.front()), number_text(rows.x.back()),
                    number_text(scene.simulation.duration)));
    }
  }
}

}  // namespace catena
