// Events along a run: roots of formulas of columns and time, found in the dense output of each step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/lab/column_formula.h"
#include "catena/lab/lab.h"

namespace catena {

// What happened, as a table: columns "t" and what the event records.
struct EventTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
  std::vector<std::size_t> touching;  // rows at which the formula touches zero and turns back
  std::size_t directions = 0;         // that derivatives are followed in
  std::vector<std::vector<double>> rates =
      {};  // of each row, [column][direction]; those of t are the event's time
};

class EventWatch {
 public:
  // Throws InputError with the place of every name in a formula that is no column.
  EventWatch(Lab& lab, const std::vector<Event>& events);
  EventWatch(const EventWatch&) = delete;
  EventWatch& operator=(const EventWatch&) = delete;
  ~EventWatch();

  // Looks at the step that the lab has just taken, up to `end`, and adds what happened to the tables. Returns
  // whether an event ends the run there; stopped_at() then says when.
  bool look(double end);
  double stopped_at() const { return stopped_at_; }

  std::vector<EventTable> tables() const;
  // Rows of one event so far: "t" and what it records.
  const std::vector<std::vector<double>>& rows(std::size_t event) const;

  // Forgets what happened: the lab is at the start of another motion.
  void restart();

  // What a run that is taken up again needs to know.
  std::string memory() const;
  void restore(std::string_view memory);

 private:
  struct Watched;
  void find(Watched& event, double start, double end);
  void take(Watched& event, double start, double end, double at_start, double at_end, int depth = 0);
  void take_piece(Watched& event, double start, double end, double at_start, double at_end);

  Lab& lab_;
  std::vector<std::unique_ptr<Watched>> events_;
  bool fresh_ = true;  // no step has been looked at yet
  double stopped_at_ = 0.0;
};

}  // namespace catena
