// The columns of a recorded run by what they are: quantity, chain or body, link. For run_figures.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catena/draw/words.h"
#include "catena/model/columns.h"

namespace catena::draw {

struct RunColumn {
  std::size_t index = 0;    // in a row
  std::string stem, label;  // as recorded; no label: one column
  std::string quantity;     // "x" of "x_left", "fx" of "fx_pivot"
  std::string item;         // whose it is: "1", "left_1", "pivot"; empty: total
  QuantityName name;        // how it is called; its own name where nobody knows it
};

class RunColumns {
 public:
  explicit RunColumns(const std::vector<Stem>& stems);

  std::size_t size() const { return all_.size(); }
  std::vector<RunColumn>::const_iterator begin() const { return all_.begin(); }
  std::vector<RunColumn>::const_iterator end() const { return all_.end(); }

  // The column of this quantity and item, or null.
  const RunColumn* find(const std::string& quantity, const std::string& item) const;
  // Items that have this quantity, in the order of the columns.
  std::vector<std::string> items_with(const std::string& quantity) const;

 private:
  std::vector<RunColumn> all_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

}  // namespace catena::draw
