// What the browser keeps: what the reader chose, and where the work is. A lab inside another page keeps nothing, and begins with
// what that page asks for. A browser that refuses to keep anything (private windows, frames of other sites) is as one that has
// nothing kept.
export const keeps = !new URLSearchParams(globalThis.location?.hash.slice(1)).has('embedded');

type Name = 'theme' | 'language' | 'last' | 'recent' | 'own';

// Whether it is kept: there may be no place for it.
export function keep(name: Name, value: string): boolean {
  try {
    if (keeps) localStorage.setItem(`catena-${name}`, value);
    return keeps;
  } catch {
    return false;
  }
}

export function kept(name: Name): string | null {
  try {
    return keeps ? localStorage.getItem(`catena-${name}`) : null;
  } catch {
    return null;
  }
}
