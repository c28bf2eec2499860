// What the reader chose and the browser keeps. A lab inside another page keeps nothing, and begins with what that page asks for.
export const keeps = !new URLSearchParams(globalThis.location?.hash.slice(1)).has('embedded');

export function keep(name: 'theme' | 'language', value: string) {
  if (keeps) localStorage.setItem(`catena-${name}`, value);
}

export const kept = (name: 'theme' | 'language') => (keeps ? localStorage.getItem(`catena-${name}`) : null);
