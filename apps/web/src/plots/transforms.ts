// What plots make of values over time: rates and spectra.

// Central differences; at gaps and ends from one side. NaN where there is no neighbour.
export function rates(times: ArrayLike<number>, values: ArrayLike<number>): Float64Array {
  const out = new Float64Array(values.length).fill(NaN);
  const there = (i: number) => i >= 0 && i < values.length && Number.isFinite(values[i]!);
  for (let i = 0; i < values.length; i++) {
    if (!there(i)) continue;
    const [a, b] = [there(i - 1) ? i - 1 : i, there(i + 1) ? i + 1 : i];
    if (a !== b) out[i] = (values[b]! - values[a]!) / (times[b]! - times[a]!);
  }
  return out;
}

// In place, by halves; the length is a power of two.
function transform(re: Float64Array, im: Float64Array) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j]!, re[i]!];
      [im[i], im[j]] = [im[j]!, im[i]!];
    }
  }
  for (let size = 2; size <= n; size *= 2) {
    for (let k = 0; k < size / 2; k++) {
      const angle = (-2 * Math.PI * k) / size;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (let i = k; i < n; i += size) {
        const j = i + size / 2;
        const [x, y] = [re[j]! * c - im[j]! * s, re[j]! * s + im[j]! * c];
        re[j] = re[i]! - x;
        im[j] = im[i]! - y;
        re[i] = re[i]! + x;
        im[i] = im[i]! + y;
      }
    }
  }
}

// Amplitudes over frequencies of values at equal distances: a sine of amplitude A shows as a peak of height A. Hann's
// window keeps peaks narrow whatever the stretch; zeros behind it make them smooth.
export function spectrum(step: number, values: ArrayLike<number>): { frequencies: Float64Array; amplitudes: Float64Array } {
  const given = Array.from(values).filter(Number.isFinite);
  if (given.length < 8) return { frequencies: new Float64Array(), amplitudes: new Float64Array() };
  let n = 8;
  while (n < 4 * given.length) n *= 2;
  const mean = given.reduce((sum, value) => sum + value, 0) / given.length;
  const [re, im] = [new Float64Array(n), new Float64Array(n)];
  let weight = 0;
  given.forEach((value, i) => {
    const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (given.length - 1));
    weight += hann;
    re[i] = hann * (value - mean);
  });
  transform(re, im);
  return {
    frequencies: Float64Array.from({ length: n / 2 }, (_, k) => k / (n * step)),
    amplitudes: Float64Array.from({ length: n / 2 }, (_, k) => (2 * Math.hypot(re[k]!, im[k]!)) / weight),
  };
}
