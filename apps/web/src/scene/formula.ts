// Formulas of the engine's equations as pieces to show: names with their indices and primes, numbers, signs. Each name
// knows the part of the scene that it belongs to.

export interface Piece {
  kind: 'name' | 'number' | 'function' | 'sign';
  text: string;
  lower?: string; // index
  raised?: string; // power
  part?: string; // label of a link or name of a body
}

const greek: Record<string, string> = { alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', epsilon: 'ε', theta: 'θ', phi: 'φ', psi: 'ψ', omega: 'ω', lambda: 'λ', mu: 'μ', rho: 'ρ', sigma: 'σ', tau: 'τ', eta: 'η', xi: 'ξ', zeta: 'ζ', kappa: 'κ', nu: 'ν' };
const functions = new Set(['sin', 'cos', 'tan', 'sqrt', 'exp', 'log', 'abs', 'asin', 'acos', 'atan', 'atan2', 'sinh', 'cosh', 'tanh', 'min', 'max', 'sign']);

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

// The part whose label a name ends with.
function partOf(name: string, parts: string[]): string | undefined {
  return name.startsWith('lambda_') ? undefined : parts.find((part) => name.endsWith(`_${part}`));
}

function namePiece(word: string, parts: string[]): Piece {
  const primes = /'*$/.exec(word)![0].length;
  const name = word.slice(0, word.length - primes);
  if (functions.has(name)) return { kind: 'function', text: name };
  const part = partOf(name, parts);
  const stem = part ? name.slice(0, -part.length - 1) : name.replace(/_.*$/, '');
  const lower = part ?? (name.includes('_') ? name.slice(stem.length + 1) : undefined);
  // Entries of rotation matrices: R with its row and column.
  const digits = /^([A-Za-z]+?)(\d+)$/.exec(stem);
  const symbol = digits ? digits[1]! : stem;
  const index = [digits?.[2], lower].filter(Boolean).join(' ');
  const marks = ['', '′', '″', '‴'][primes] ?? '′'.repeat(primes);
  return { kind: 'name', text: (greek[symbol] ?? symbol) + marks, ...(index ? { lower: index } : {}), ...(part ? { part } : {}) };
}

// `parts`: labels of links and names of bodies. `values`: numbers to put in for names.
export function piecesOf(text: string, parts: string[], values: Map<string, number> = new Map()): Piece[] {
  const known = [...parts].sort((a, b) => b.length - a.length);
  // Names of parts may have hyphens, which are minus signs elsewhere.
  const hyphenated = known.filter((part) => part.includes('-')).map(escaped);
  const names = hyphenated.length ? `[A-Za-z]\\w*?_(?:${hyphenated.join('|')})'*|` : '';
  const pattern = new RegExp(`${names}[A-Za-z]\\w*'*|\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|\\^|[^\\s]`, 'g');
  const out: Piece[] = [];
  const words = text.match(pattern) ?? [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '^' && out.length && /^[\w.]+$/.test(words[i + 1] ?? '')) {
      const last = out[out.length - 1]!;
      const power = piecesOf(words[++i]!, parts, values).map((piece) => piece.text).join('');
      last.raised = (last.raised ?? '') + power;
    } else if (/^[A-Za-z]/.test(word)) {
      const value = values.get(word);
      out.push(value === undefined ? namePiece(word, known) : { kind: 'number', text: String(Number(value.toPrecision(6))), ...withPart(partOf(word, known)) });
    } else if (/^\d/.test(word)) out.push({ kind: 'number', text: String(Number(Number(word).toPrecision(6))) });
    else out.push({ kind: 'sign', text: signs[word] ?? word });
  }
  return out;
}

const signs: Record<string, string> = { '*': '\u2009·\u2009', '-': ' − ', '+': ' + ', '=': ' = ', ',': ', ' };

const withPart = (part: string | undefined) => (part ? { part } : {});

// "m_1 = 1, l_1 = 1, g = 9.81"
export function parametersFrom(note: string): Map<string, number> {
  return new Map([...note.matchAll(/(\w+) = (-?[\d.]+(?:e[+-]?\d+)?)/g)].map((match) => [match[1]!, Number(match[2])]));
}
