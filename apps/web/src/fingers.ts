// Mouse, pen and fingers on an element: where each of them is, and how far two have moved apart.
export interface Place {
  x: number;
  y: number;
}

export interface Movement {
  from: Place;
  to: Place;
  alone: boolean;
  pinch: { factor: number; around: Place } | null; // of two: how much farther apart they are
}

export class Fingers {
  private readonly places = new Map<number, Place>();
  private gap = 0;

  constructor(private readonly element: HTMLElement) {}

  placeOf(event: PointerEvent | WheelEvent): Place {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  get count(): number {
    return this.places.size;
  }

  down(event: PointerEvent): Place {
    const place = this.placeOf(event);
    this.places.set(event.pointerId, place);
    this.gap = 0;
    return place;
  }

  // Null: it is not down.
  move(event: PointerEvent): Movement | null {
    const from = this.places.get(event.pointerId);
    if (!from) return null;
    const to = this.placeOf(event);
    this.places.set(event.pointerId, to);
    return { from, to, alone: this.count === 1, pinch: this.pinched() };
  }

  private pinched(): Movement['pinch'] {
    if (this.count !== 2) return null;
    const [a, b] = [...this.places.values()] as [Place, Place];
    const [before, gap] = [this.gap, Math.hypot(a.x - b.x, a.y - b.y)];
    this.gap = gap;
    return before > 0 && gap > 0 ? { factor: gap / before, around: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } } : null;
  }

  up(event: PointerEvent) {
    this.places.delete(event.pointerId);
    this.gap = 0;
  }
}
