// Reading the fields of a table (model/fields.h) from a document, with all mistakes collected.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/io/scene/document.h"
#include "catena/model/fields.h"

namespace catena {

// The mistakes of one scene, and what is no mistake and yet should be said.
class Mistakes {
 public:
  void add(const SharedPlace& spot, std::string message);
  void warn(const SharedPlace& spot, std::string message);
  // When so many are known that looking for more serves nobody.
  bool full() const { return mistakes_.size() >= kMost; }
  std::size_t count() const { return mistakes_.size(); }
  // Throws them all as one InputError, in the order of their places, those of overrides last.
  void throw_if_any() const;
  std::vector<Warning> warnings() const;  // in the order of their places
  // Formulas that were found right: what messages of a run say of them.
  void note(WrittenFormula formula) { formulas_.push_back(std::move(formula)); }
  const std::vector<WrittenFormula>& formulas() const { return formulas_; }

 private:
  static constexpr std::size_t kMost = 1000;
  std::vector<Mistake> mistakes_;
  std::vector<Warning> warnings_;
  std::vector<WrittenFormula> formulas_;
};

// A field's value in a document and how to speak of it.
struct FieldValue {
  const Node& node;
  const FieldInfo& field;
  const std::string& owner;  // "link 2"
  Mistakes& mistakes;

  void complain(const std::string& what) const;  // "link 2: length <what>"
  void complain_of_kind() const;                 // "... must be a number in m, got .."
};

// Each reads a value into its second argument, or complains and leaves it.
void read_value(const FieldValue& value, double& to);
void read_value(const FieldValue& value, int& to);
void read_value(const FieldValue& value, bool& to);
void read_value(const FieldValue& value, std::string& to);
void read_value(const FieldValue& value, Vec3& to);
void read_value(const FieldValue& value, WrittenAngle& to);
void read_value(const FieldValue& value, WrittenInertia& to);
void read_value(const FieldValue& value, WrittenMoment& to);
void read_value(const FieldValue& value, WrittenPivot& to);
void read_value(const FieldValue& value, WrittenHold& to);
void read_value(const FieldValue& value, Formulas& to);
void read_value(const FieldValue& value, Parameters& to);
// What a parameter is worth: a number, or a formula of numbers such as "8/3"; none: neither.
std::optional<double> parameter_in(const Node& node);
void read_value(const FieldValue& value, std::vector<std::string>& to);
void read_value(const FieldValue& value, WrittenEnds& to);
void read_value(const FieldValue& value, std::vector<std::vector<double>>& to);
void read_value(const FieldValue& value, Numbers& to);
void read_value(const FieldValue& value, VectorPair& to);
void read_value(const FieldValue& value, Triples& to);
void read_value(const FieldValue& value, WrittenOrientation& to);
void read_value(const FieldValue& value, WrittenTensor& to);
void read_value(const FieldValue& value, WrittenMotor& to);
void read_value(const FieldValue& value, WrittenStarts& to);
void read_value(const FieldValue& value, WrittenFormulas& to);
template <class T>
void read_value(const FieldValue& value, std::optional<T>& to) {
  T read{};
  const std::size_t before = value.mistakes.count();
  read_value(value, read);
  if (value.mistakes.count() == before) to = read;
}

// Complains of parameters that formulas cannot name: their name is none, or means something else there.
// `node` is their table; `variables` are the names that formulas know without them.
void check_parameters(const Node& node, const std::string& owner, const std::vector<std::string>& variables,
                      Mistakes& mistakes);

// Complains of names that formulas cannot use, or that are taken; `what` they are names of: "coordinate".
void check_formula_names(const Node::Table& table, const std::string& owner, const char* what,
                         const std::vector<std::string_view>& taken, Mistakes& mistakes);

// Where a name stands in a table.
SharedPlace spot_of_entry(const Node& table, const std::string& name);

// A key that only says more of another one.
struct ServingKey {
  const char* key;
  const char* served;
};

// Warns of keys that stand without the one they serve.
void warn_of_lonely_keys(const Node& node, const std::string& owner, const std::vector<ServingKey>& serving,
                         Mistakes& mistakes);

// Warns of parameters that none of the formulas uses.
void warn_of_unused(const Node& node, const std::string& owner, const std::vector<std::string>& formulas,
                    Mistakes& mistakes);

// Of chains, bodies, joints and events: [A-Za-z][A-Za-z0-9_-]*
bool is_name(std::string_view text);

// Whether `node` is a table; complains if not.
bool is_table(const Node& node, const std::string& owner, Mistakes& mistakes);

// Complains of all keys of a table that are not known.
void check_keys(const Node::Table& table, const std::string& owner, const std::vector<std::string>& known,
                Mistakes& mistakes);

// Complains unless `word` is one of the choices: "unknown method 'rk5', did you mean 'rk4'?"
void check_choice(const FieldValue& value, const std::string& word, const std::vector<std::string>& choices);

// Complains of all that is wrong with the formula in `node`, at its place in the text. The names it may use
// are the field's variables and the parameters.
void check_formula(const FieldValue& value, const Parameters& parameters);

// Whether formulas can use it as a name: a letter, then letters, digits and _.
bool is_formula_name(std::string_view text);

// Fills `part` from the table `node`. `other_keys` are known, but read elsewhere.
template <class Part>
void read_fields(const Node& node, const std::string& owner, const std::vector<Field<Part>>& fields,
                 const std::vector<std::string>& other_keys, Part& part, Mistakes& mistakes) {
  if (!is_table(node, owner, mistakes)) return;
  std::vector<std::string> known;
  for (const Field<Part>& field : fields) known.push_back(field.name);
  known.insert(known.end(), other_keys.begin(), other_keys.end());
  check_keys(*node.table(), owner, known, mistakes);
  for (const Field<Part>& field : fields) {
    const Node* value = node.find(field.name);
    if (value != nullptr) {
      const FieldValue at{*value, field, owner, mistakes};
      std::visit([&](auto member) { read_value(at, part.*member); }, field.member);
    } else if (field.required) {
      mistakes.add(node.spot, owner + ": " + field.name + " is missing; it must be " + kind_text(field));
    }
  }
}

}  // namespace catena
