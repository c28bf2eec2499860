"""Flows for JAX: functions that jvp, grad, jacobian, jit and vmap go through, with the engine's own derivatives.

    import jax
    jax.config.update("jax_enable_x64", True)
    from catena.jax import function
    reach = function(ct.flow("double-pendulum", "chain.links.*.length"))
    jax.jacobian(lambda lengths: reach(2.0, start, lengths))(jax.numpy.array([1.0, 0.8]))

The motion itself is computed outside of JAX, on the CPU. Derivatives are of first order. Without jax_enable_x64, JAX hands
numbers of 32 bits around, and what comes back has as many digits.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    raise ImportError("catena.jax needs JAX: pip install jax") from None
import numpy as np

if TYPE_CHECKING:
    from ._flow import Flow


def function(flow: Flow) -> Callable[..., Any]:
    """The state at t, [n] or [n, times], as a function f(t, start, parameters) of JAX, differentiable by all three.

    start: None stands for the scene's own start, which may depend on the parameters.
    """
    n, count = len(flow.start), len(flow.parameters)

    def computed(derivatives: bool, own: bool, t: Any, start: Any, parameters: Any) -> Any:
        dtype = jnp.result_type(float)
        found = flow(np.asarray(t, dtype=float), None if own else np.asarray(start, dtype=float),
                     np.asarray(parameters, dtype=float), derivatives=derivatives)
        if not derivatives:
            return np.asarray(found.y, dtype=dtype)
        return tuple(np.asarray(one, dtype=dtype) for one in (found.y, found.y_dot, found.d_start, found.d_parameters))

    def asked(derivatives: bool, own: bool, t: Any, start: Any, parameters: Any) -> Any:
        times, dtype = jnp.shape(t), jnp.result_type(float)

        def of(*shape: int) -> Any:
            return jax.ShapeDtypeStruct((*shape, *times), dtype)

        shapes = (of(n), of(n), of(n, n), of(n, count)) if derivatives else of(n)
        return jax.pure_callback(lambda *given: computed(derivatives, own, *given), shapes, t, start, parameters,
                                 vmap_method="sequential")

    def made(own: bool) -> Callable[..., Any]:
        def value(t: Any, start: Any, parameters: Any) -> Any:
            return asked(False, own, t, start, parameters)

        def value_and_change(given: Any, rates: Any) -> Any:
            y, y_dot, d_start, d_parameters = asked(True, own, *given)
            t_rate, start_rate, parameter_rate = rates
            change = y_dot * t_rate + jnp.einsum("ik...,k->i...", d_parameters, parameter_rate)
            return y, change if own else change + jnp.einsum("ij...,j->i...", d_start, start_rate)

        reach: Any = jax.custom_jvp(value)
        reach.defjvp(value_and_change)
        return reach  # type: ignore[no-any-return]

    from_given, from_own = made(False), made(True)

    def reach(t: Any, start: Any = None, parameters: Any = None) -> Any:
        dtype = jnp.result_type(float)
        values = flow.values if parameters is None else parameters
        chosen, begin = (from_own, flow.start) if start is None else (from_given, start)
        return chosen(*(jnp.asarray(one, dtype=dtype) for one in (t, begin, values)))

    return reach
