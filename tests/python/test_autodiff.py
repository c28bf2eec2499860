"""Flows inside JAX and PyTorch: their own checks of derivatives hold. Both are optional, and left out where they are not."""
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import catena as ct
from conftest import from_pypi

PACKAGE = Path(ct.__file__).parent
FLOW = ("double-pendulum", "chain.links.*.length")


def test_torch_checks_the_derivatives(capsys):
    try:
        import torch
    except ImportError:
        with capsys.disabled():
            print("\npython: PyTorch is left out: it is not installed (apt install python3-torch)")
        pytest.skip("no PyTorch here")
    from catena.torch import function

    flow = ct.flow(*FLOW)
    reach = function(flow)
    kind = {"dtype": torch.float64, "requires_grad": True}
    start, lengths = torch.tensor(flow.start.tolist(), **kind), torch.tensor(flow.values.tolist(), **kind)
    for t in (torch.tensor(1.0, **kind), torch.tensor([0.5, 1.0], **kind)):
        assert torch.autograd.gradcheck(reach, (t, start, lengths), check_forward_ad=True)
        assert torch.autograd.gradcheck(lambda t, lengths: reach(t, None, lengths), (t, lengths), check_forward_ad=True)
    reach(1.0, None, lengths)[0].backward()
    assert np.array_equal(lengths.grad.tolist(), flow(1.0).d_parameters[0])
    assert np.array_equal(reach(1.0).tolist(), flow(1.0, derivatives=False).y)


JAX = """
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
from jax.test_util import check_grads
import catena as ct
from catena.jax import function

flow = ct.flow(*%r)
reach = function(flow)
start, lengths = jnp.array(flow.start), jnp.array(flow.values)
# With eps = 1e-5 differences are good to eps^2 times a third derivative of some hundreds.
accurate = {"order": 1, "modes": ["fwd", "rev"], "atol": 1e-6, "rtol": 1e-6, "eps": 1e-5}
for t in (jnp.array(1.0), jnp.array([0.5, 1.0])):
    check_grads(reach, (t, start, lengths), **accurate)
    check_grads(lambda t, lengths: reach(t, None, lengths), (t, lengths), **accurate)
jacobian = jax.jit(jax.jacobian(lambda lengths: reach(1.0, None, lengths)))(lengths)
assert np.allclose(jacobian, flow(1.0).d_parameters, rtol=1e-13)
many = jax.vmap(lambda t: reach(t, start, lengths))(jnp.array([0.1, 0.2, 0.3]))
assert np.allclose(many.T, flow([0.1, 0.2, 0.3], flow.start).y, rtol=1e-13)
print("JAX", jax.__version__, "and NumPy", np.__version__)
""" % (FLOW,)


def test_jax_checks_the_derivatives(capsys):
    folder, why = from_pypi("jax", "jax/version.py", "jax")
    if folder is None:
        with capsys.disabled():
            print(f"\npython: JAX is left out: {why}")
        pytest.skip(why)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(PACKAGE.parent)]), "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", JAX], env=env, capture_output=True, text=True, check=False, timeout=400)
    assert done.returncode == 0, done.stderr[-5000:]
    with capsys.disabled():
        print(f"\npython: derivatives checked by {done.stdout.strip()}")


@pytest.mark.parametrize("module", ["jax", "torch"])
def test_where_a_library_is_missing_that_is_said(module, tmp_path):
    (tmp_path / f"{module}.py").write_text("raise ImportError\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(PACKAGE.parent)])}
    done = subprocess.run([sys.executable, "-c", f"import catena.{module}"], env=env, capture_output=True, text=True, check=False,
                          timeout=60)
    assert done.returncode == 1 and f"ImportError: catena.{module} needs " in done.stderr
