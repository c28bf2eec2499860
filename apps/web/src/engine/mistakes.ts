// What the core finds wrong with a scene: one line each, with its place and remedy.
export class Mistakes extends Error {
  constructor(readonly mistakes: string[]) {
    super(mistakes.join('\n'));
    this.name = 'Mistakes';
  }
}

// The engine died before it answered.
export class Lost extends Error {}
