// The steps of reading a scene, each in its own file.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catena/io/scene/document.h"
#include "catena/io/scene/values.h"
#include "catena/model/fit.h"
#include "catena/model/scene.h"

namespace catena {

struct SceneOptions;

// The whole scene, but for its json. Throws InputError with all mistakes known so far.
Scene scene_in(const Node& document, const SceneOptions& options, Mistakes& mistakes);

// [chain] or [[chains]]; the bodies are those that may carry them.
std::vector<Chain> read_chains(const Node& scene, const std::vector<Body>& bodies, Mistakes& mistakes);

// [[bodies]]
std::vector<Body> read_bodies(const Node& scene, Mistakes& mistakes);

// Replaces files of meshes by what they hold, so that the scene stands alone. For a scene without mistakes.
void put_meshes_inside(Node& scene);

// Where a file named in a scene is: beside the scene.
std::string beside(const Node& node, const std::string& file);

// Replaces files of tables in formulas, table("file.csv", x), by their rows, so that the scene stands alone.
void put_tables_inside(Node& scene, Mistakes& mistakes);
// Warns of tables over time that end before the run does.
void warn_of_short_tables(const Scene& scene, Mistakes& mistakes);

// [[joints]] between the mechanism's bodies, and what acts in them.
void read_joints(const Node& scene, Mechanism& mechanism, Mistakes& mistakes);

// Complains of a name that is none, is taken, or is given to two of `what`.
void check_new_name(const Node& node, const std::string& owner, const std::string& what,
                    std::set<std::string>& names, Mistakes& mistakes);

// [lagrangian]; none where the scene has none.
Lagrangian read_lagrangian(const Node& scene, Mistakes& mistakes);

// [equations]; none where the scene has none.
Equations read_equations(const Node& scene, Mistakes& mistakes);

// [[forces]]; the chains and bodies are those that forces may name.
std::vector<ForceEntry> read_forces(const Node& scene, const std::vector<Chain>& chains,
                                    const std::vector<Body>& bodies, Mistakes& mistakes);

// [method], if there is one and it makes sense: a method = "custom".
std::optional<RungeKuttaTable> read_method(const Node& scene, Mistakes& mistakes);

// [[events]]; names in their formulas are checked where the columns are known.
std::vector<Event> read_events(const Node& scene, Mistakes& mistakes);

// `text` as one more of [[events]]: a formula, or a table { when = .., .. }.
void add_event(Node& scene, const std::string& text, Mistakes& mistakes);

// Warns of numbers in the scene's text that are longer than what a run with more digits takes them for.
void warn_of_lost_digits(std::string_view text, const std::string& source, Mistakes& mistakes);

// [fit]; none where there is none. Names in its formulas are checked where the columns are known.
std::optional<FitPlan> read_fit(const Node& document, Mistakes& mistakes);

// [plot]: switches as in the classic config.
std::vector<PlotSwitch> read_plot(const Node& plot, const std::string& owner, Mistakes& mistakes);

// "chain.links.1.mass=2": changes the document, or complains.
void apply_override(Node& scene, const std::string& override_text, Mistakes& mistakes);

// The parts of a path: "chain.links.1" has three.
std::vector<std::string> components(std::string_view path);
// Which item of a list is meant, by number from 1 or by name; list.size(): none, and why.
std::size_t item_named(const Node::List& list, const std::string& part);
std::string no_such_item(const Node::List& list, const std::string& part, const std::string& owner);

// One TOML value, or a text without quotes; complains of anything else.
std::optional<Node> value_from_toml(std::string_view text, const SharedPlace& spot, Mistakes& mistakes);

// Whether an override speaks of the classic config's own keys ("system.sim.g=1").
bool is_classic_override(const std::string& override_text);

bool is_classic(const Node& scene);

// The classic config.toml as an ordinary scene, its values keeping their places. `name` stands for a missing
// filename. Only good when there were no mistakes.
Node from_classic(const Node& classic, const std::string& name, Mistakes& mistakes);

}  // namespace catena
