"""Flows for PyTorch: functions that autograd goes through, backwards and forwards, with the engine's own derivatives.

    import torch
    from catena.torch import function
    reach = function(ct.flow("double-pendulum", "chain.links.*.length"))
    lengths = torch.tensor([1.0, 0.8], dtype=torch.float64, requires_grad=True)
    reach(2.0, None, lengths)[0].backward()

The motion itself is computed on the CPU, in double; what comes back is of the type of what was given. Derivatives are of first
order.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

try:
    import torch
except ImportError:
    raise ImportError("catena.torch needs PyTorch: apt install python3-torch, or pip install torch") from None
import numpy as np

if TYPE_CHECKING:
    from ._flow import Flow


class _Reach(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, flow: Flow, own: bool, t: Any, start: Any, parameters: Any) -> Any:
        given = (_numbers(t), None if own else _numbers(start), _numbers(parameters))
        ctx.like = {"dtype": start.dtype, "device": start.device}
        found = flow(*given, derivatives=any(ctx.needs_input_grad))
        ctx.known = found if any(ctx.needs_input_grad) else None
        ctx.asked = lambda: flow(*given)  # forward mode says only later that it wants derivatives
        ctx.own = own
        return torch.as_tensor(found.y.tolist(), **ctx.like)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, grad: Any) -> Any:
        by_t, by_start, by_parameters = _jacobians(ctx)
        return (None, None, (by_t * grad).sum(0), torch.einsum("ij...,i...->j", by_start, grad),
                torch.einsum("ik...,i...->k", by_parameters, grad))

    @staticmethod
    def jvp(ctx: Any, flow_rate: Any, own_rate: Any, t_rate: Any, start_rate: Any, parameter_rate: Any) -> Any:
        by_t, by_start, by_parameters = _jacobians(ctx)
        total = torch.zeros_like(by_t)
        if t_rate is not None:
            total = total + by_t * t_rate
        if start_rate is not None:
            total = total + torch.einsum("ij...,j->i...", by_start, start_rate)
        if parameter_rate is not None:
            total = total + torch.einsum("ik...,k->i...", by_parameters, parameter_rate)
        return total


def _jacobians(ctx: Any) -> list[Any]:
    found = ctx.known if ctx.known is not None else ctx.asked()
    by_start = np.zeros_like(found.d_start) if ctx.own else found.d_start
    return [torch.as_tensor(one.tolist(), **ctx.like) for one in (found.y_dot, by_start, found.d_parameters)]


def _numbers(tensor: Any) -> Any:
    return np.array(tensor.detach().cpu().tolist(), dtype=float)


def function(flow: Flow) -> Callable[..., Any]:
    """The state at t, [n] or [n, times], as a function f(t, start, parameters) of PyTorch, differentiable by all three.

    start: None stands for the scene's own start, which may depend on the parameters.
    """

    def reach(t: Any, start: Any = None, parameters: Any = None) -> Any:
        like = next((one for one in (start, parameters, t) if isinstance(one, torch.Tensor)), None)
        kind = {"dtype": torch.float64} if like is None else {"dtype": like.dtype, "device": like.device}

        def tensor(given: Any) -> Any:
            return given if isinstance(given, torch.Tensor) else torch.as_tensor(np.asarray(given).tolist(), **kind)

        values = flow.values if parameters is None else parameters
        return _Reach.apply(flow, start is None, tensor(t), tensor(flow.start if start is None else start), tensor(values))

    return reach
