// One movement of a hand is undone at once: from where a pointer or key goes down to the next one.
const kinds = ['change', 'drag', 'hold', 'ghosts', 'build'] as const;
let gesture = 0;

export function listenForGestures() {
  const next = () => gesture++;
  document.addEventListener('pointerdown', next, { capture: true });
  document.addEventListener('keydown', (event) => !event.repeat && next(), { capture: true });
  document.addEventListener('change', () => setTimeout(next), { capture: true });
}

// The number of this movement, for things of one kind that it does; 0 is no gesture.
export function gestureOf(kind: (typeof kinds)[number]): number {
  return kinds.length * gesture + kinds.indexOf(kind) + 1;
}
