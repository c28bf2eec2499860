// Colours that people with any kind of colour vision tell apart: Okabe and Ito's for few links (M. Okabe, K. Ito,
// 2008), cividis for many (J. Nunez, C. Anderton, R. Renslow, 2018).

const few = {
  dark: ['#56b4e9', '#e69f00', '#2fc99a', '#f0e442', '#cc79a7', '#ff7a3d', '#4f9be8', '#b9b9ff', '#9be564', '#ff9db5'],
  light: ['#0072b2', '#c77700', '#00805c', '#8a7a00', '#a83279', '#c44601', '#2456b8', '#6a4fc4', '#4c7f13', '#b5395c'],
};
export const fewLinks = few.dark.length; // that have colours of their own

const many = [
  [0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56],
];

function hex(rgb: number[]): string {
  return `#${rgb.map((c) => Math.round(c).toString(16).padStart(2, '0')).join('')}`;
}

function along(part: number): string {
  const x = part * (many.length - 1);
  const i = Math.min(many.length - 2, Math.floor(x));
  const [a, b] = [many[i]!, many[i + 1]!];
  return hex(a.map((c, j) => c + (b[j]! - c) * (x - i)));
}

export function linkColor(index: number, count: number, dark: boolean): string {
  const list = dark ? few.dark : few.light;
  if (count <= list.length) return list[index]!;
  const part = index / (count - 1);
  return along(dark ? 0.4 + 0.6 * part : 0.85 * part);
}

// Blue when squeezed, neutral at rest, red-orange when stretched.
export function strainColor(strain: number, dark: boolean): [number, number, number] {
  const rest = dark ? [0.75, 0.78, 0.83] : [0.58, 0.62, 0.68];
  const end = strain > 0 ? [0.95, 0.38, 0.05] : [0.15, 0.5, 1];
  const part = Math.min(1, Math.abs(strain) / 0.35);
  return [0, 1, 2].map((i) => rest[i]! + (end[i]! - rest[i]!) * part) as [number, number, number];
}
