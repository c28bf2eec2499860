// When a column passes a value, to many digits: between two rows it is the cubic through values and rates.
export interface Crossing {
  t: number;
  rising: boolean;
}

const steps = 40; // of bisection: far below what rows at 1/120 s tell

function cubic(a: number, b: number, slopeA: number, slopeB: number, s: number): number {
  return (1 + 2 * s) * (1 - s) ** 2 * a + s * (1 - s) ** 2 * slopeA + s * s * (3 - 2 * s) * b + s * s * (s - 1) * slopeB;
}

export function crossingsOf(times: ArrayLike<number>, values: ArrayLike<number>, rates: ArrayLike<number>, level: number): Crossing[] {
  const out: Crossing[] = [];
  for (let i = 1; i < times.length; i++) {
    const [a, b] = [values[i - 1]! - level, values[i]! - level];
    if (!(a * b < 0 || (a === 0 && b !== 0 && i === 1) || (b === 0 && a !== 0))) continue;
    const h = times[i]! - times[i - 1]!;
    const at = (s: number) => cubic(a, b, h * rates[i - 1]!, h * rates[i]!, s);
    let [low, high] = [0, 1];
    for (let k = 0; k < steps; k++) {
      const middle = (low + high) / 2;
      if (at(middle) * a > 0) low = middle;
      else high = middle;
    }
    if (out.length && times[i - 1]! + high * h - out.at(-1)!.t < 1e-9) continue; // at a row, told once
    out.push({ t: times[i - 1]! + high * h, rising: b > a });
  }
  return out;
}

export interface Swing {
  period: number; // mean of the last ones
  spread: number; // the largest difference from it
  count: number;
  amplitude: number;
}

// How a column swings about its middle; null: it does not, or not long enough.
export function swingOf(times: ArrayLike<number>, values: ArrayLike<number>, rates: ArrayLike<number>, most = 10): Swing | null {
  const all = Array.from(values).filter(Number.isFinite);
  if (all.length < 3) return null;
  const [low, high] = [Math.min(...all), Math.max(...all)];
  if (high - low < 1e-12) return null;
  const rising = crossingsOf(times, values, rates, (low + high) / 2).filter((one) => one.rising).slice(-most - 1);
  if (rising.length < 2) return null;
  const periods = rising.slice(1).map(({ t }, i) => t - rising[i]!.t);
  const period = periods.reduce((sum, one) => sum + one, 0) / periods.length;
  return { period, spread: Math.max(...periods.map((one) => Math.abs(one - period))), count: periods.length, amplitude: (high - low) / 2 };
}
