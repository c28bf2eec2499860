#include "catena/analyze/shown.h"

#include <fmt/format.h>

#include "catena/analyze/linear_algebra.h"
#include "catena/base/mistake.h"

namespace catena {

std::vector<std::string> known_words(const Lab& lab, const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    try {
      lab.columns({word});
      out.push_back(word);
    } catch (const InputError&) {  // this scene has none of them
    }
  }
  return out;
}

Shown shown(Lab& lab, const std::vector<std::string>& words, const Eigen::MatrixXd& basis) {
  const Columns columns = lab.columns(words);
  std::vector<Direction> directions;
  for (const std::vector<double>& row : lists_of(basis)) {
    Direction& direction = directions.emplace_back();
    direction.path = fmt::format("change {}", directions.size());
    direction.start = row;
  }
  std::vector<double> row(columns.width()), rates(columns.width() * directions.size());
  lab.follow(std::move(directions));
  lab.observe(lab.time(), columns, row.data());
  lab.derivatives(columns, rates.data());
  Shown out;
  out.names = names_of(columns);
  out.names.erase(out.names.begin());  // time
  const Eigen::MatrixXd slopes = rows_of(rates, columns.width()).transpose();
  out.slopes = slopes.bottomRows(slopes.rows() - 1);
  const Eigen::VectorXd all = vector_of(row);
  out.row = all.tail(all.size() - 1);
  return out;
}

}  // namespace catena
