// numpy and h5py read what we write. Where they are not installed, our own readers say so instead.
#include <cstdlib>

#include "io/record/runs.h"

namespace catena::testing {
namespace {

constexpr const char* kCommonChecks = R"(
import json, math
assert x.shape == (7, 3) and x_upper.shape == (7, 2) and t.shape == (7,)
assert theta.shape == (7, 1) and energy.shape == (7,) and energy_each.shape == (7, 3)
assert x.dtype == numpy.dtype('<f8')
assert version == '0.1.0', version
assert json.loads(scene)['simulation']['tolerance'] == 1e-15
assert json.loads(scene)['name'].startswith(chr(0x3b8))
assert json.loads(summary)['steps'] == 12
assert columns[:3] == ['t', 'x_1', 'x_2'] and columns[-1] == 'energy'
assert x[0][1] == 0.1 and math.copysign(1, x[0][0]) == -1
)";

constexpr const char* kNumpyScript = R"(
import numpy
f = numpy.load(path, allow_pickle=False)
t, x, x_upper, theta = f['t'], f['x'], f['x_upper'], f['theta']
energy, energy_each = f['energy'], f['energy_each']
version, scene, summary = str(f['catena']), str(f['scene']), str(f['summary'])
columns = [str(name) for name in f['columns']]
assert bytes(f['checkpoint']) == bytes([0, 1, 255]) + b'\n,#end\0'
)";

constexpr const char* kHdf5Script = R"(
import numpy, h5py
f = h5py.File(path, 'r')
t, x, x_upper, theta = f['t'][:], f['x'][:], f['x_upper'][:], f['theta'][:]
energy, energy_each = f['energy'][:], f['energy_each'][:]
version, scene, summary = f.attrs['catena'], f.attrs['scene'], f.attrs['summary']
columns = list(f.attrs['columns'])
assert list(f['qw'].attrs['labels']) == ['pivot', 'crank-arm']
)";

bool python_has(const std::string& modules) {
  return std::system(("/usr/bin/python3 -c 'import " + modules + "' 2>/dev/null").c_str()) == 0;
}

void expect_readable(const std::string& ending, const std::string& modules, const std::string& script) {
  const TempFolder folder;
  const std::string path = folder / ("run" + ending);
  MemoryRun run = varied_run(7);
  write_run(run, path);
  expect_same_run(*RunReader::open(path), run);
  if (!python_has(modules)) return;
  write_file(folder / "check.py", "path = '" + path + "'\n" + script + kCommonChecks);
  EXPECT_EQ(std::system(("/usr/bin/python3 '" + (folder / "check.py") + "'").c_str()), 0);
}

TEST(Numpy, ReadsNpz) { expect_readable(".npz", "numpy", kNumpyScript); }

TEST(H5py, ReadsHdf5) { expect_readable(".h5", "numpy, h5py", kHdf5Script); }

}  // namespace
}  // namespace catena::testing
