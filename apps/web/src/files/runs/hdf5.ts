// HDF5, as far as `catena run` writes it: format 1.10 (superblock 2 or 3), groups with links in their header or in a
// fractal heap, chunked or contiguous datasets of bytes and doubles, not compressed. Section numbers are those of the
// HDF5 File Format Specification, version 3.0.
import { columnsOfStems, doublesOf, refuseLater, type RecordedRun } from './run';

const nowhere = 2 ** 53; // an address that is not set reads as more than this

class Cursor {
  private readonly view: DataView;
  constructor(
    readonly bytes: Uint8Array,
    public at: number,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  number(size: number): number {
    let value = 0;
    for (let i = size - 1; i >= 0; i--) value = 256 * value + this.view.getUint8(this.at + i);
    this.at += size;
    return value;
  }
  address = () => this.number(8);
  text(size: number): string {
    this.at += size;
    return new TextDecoder().decode(this.bytes.subarray(this.at - size, this.at));
  }
  expect(signature: string) {
    if (this.text(4) !== signature) throw new Error(`damaged: no ${signature}`);
  }
  past(size: number): this {
    this.at += size;
    return this;
  }
}

interface Message {
  type: number;
  start: number;
  size: number;
}

class File {
  constructor(readonly bytes: Uint8Array) {}

  at(address: number): Cursor {
    if (!(address < this.bytes.length)) throw new Error('an address beyond the end');
    return new Cursor(this.bytes, address);
  }

  // II.A: the root group's header.
  root(): number {
    const cursor = this.at(0).past(8);
    const version = cursor.number(1);
    if (version < 2) throw new Error('a file of an older format');
    if (cursor.number(1) !== 8 || cursor.number(1) !== 8) throw new Error('addresses of another size');
    return cursor.past(1 + 3 * 8).address();
  }

  // IV.A.1.b: version 2 headers, with their continuations.
  messages(header: number): Message[] {
    const cursor = this.at(header);
    cursor.expect('OHDR');
    cursor.past(1);
    const flags = cursor.number(1);
    cursor.past((flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0));
    const size = cursor.number(1 << (flags & 3));
    const out: Message[] = [];
    this.gather(cursor, cursor.at + size, flags, out);
    return out;
  }

  private gather(cursor: Cursor, end: number, flags: number, out: Message[]) {
    const head = flags & 4 ? 6 : 4;
    while (cursor.at + head <= end) {
      const [type, size] = [cursor.number(1), cursor.number(2)];
      cursor.past(head - 3);
      if (type === 0x10) {
        const more = this.at(cursor.at);
        const block = this.at(more.address());
        const length = more.number(8);
        block.expect('OCHK');
        this.gather(block, block.at + length - 8, flags, out);
      } else {
        out.push({ type, start: cursor.at, size });
      }
      cursor.past(size);
    }
  }

  // Names in a group and the headers behind them.
  links(header: number): Map<string, number> {
    const out = new Map<string, number>();
    for (const { type, start } of this.messages(header)) {
      if (type === 6) this.link(this.at(start), out);
      if (type === 2) this.denseLinks(this.at(start), out);
    }
    return out;
  }

  // IV.A.2.g
  private link(cursor: Cursor, out: Map<string, number>) {
    cursor.past(1);
    const flags = cursor.number(1);
    const kind = flags & 8 ? cursor.number(1) : 0;
    cursor.past((flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0));
    const name = cursor.text(cursor.number(1 << (flags & 3)));
    if (kind === 0) out.set(name, cursor.address());
  }

  // IV.A.2.c: many links are in a fractal heap, found by a B-tree of their names' hashes.
  private denseLinks(cursor: Cursor, out: Map<string, number>) {
    cursor.past(1);
    const flags = cursor.number(1);
    cursor.past(flags & 1 ? 8 : 0);
    const [heap, names] = [cursor.address(), cursor.address()];
    if (heap >= nowhere || names >= nowhere) return;
    const at = new Heap(this, heap);
    for (const record of treeRecords(this, names)) this.link(this.at(at.place(new Cursor(this.bytes, record + 4))), out);
  }

  dataset(header: number): Uint8Array {
    const messages = this.messages(header);
    const found = (type: number) => {
      const message = messages.find((one) => one.type === type);
      if (!message) throw new Error('no dataset');
      return this.at(message.start);
    };
    const space = found(1);
    if (space.number(1) !== 2) throw new Error('an extent of another version');
    const rank = space.number(1);
    space.past(2);
    const extents = Array.from({ length: rank }, () => space.number(8));
    const item = found(3).past(4).number(4);
    const filters = messages.some(({ type }) => type === 0x0b) ? this.filters(found(0x0b)) : [];
    return new Chunks(this, extents, item, filters).read(found(8));
  }

  // IV.A.2.l: which filters chunks went through.
  private filters(cursor: Cursor): number[] {
    const [version, count] = [cursor.number(1), cursor.number(1)];
    if (version !== 2) throw new Error('filters of another version');
    return Array.from({ length: count }, () => {
      const id = cursor.number(2);
      const name = id < 256 ? 0 : cursor.number(2);
      cursor.past(2);
      const values = cursor.number(2);
      cursor.past(name + 4 * values);
      return id;
    });
  }
}

// III.A.2: where the records of a version 2 B-tree stand.
function treeRecords(file: File, header: number): number[] {
  const head = file.at(header);
  head.expect('BTHD');
  head.past(2);
  const [node, record, depth] = [head.number(4), head.number(2), head.number(2)];
  head.past(2);
  const [root, count] = [head.address(), head.number(2)];
  const bytesFor = (largest: number) => Math.max(1, Math.ceil(Math.log2(largest + 1) / 8));
  // How many records a node can have, and all below it, by its height; that tells how wide the counts are.
  const most = [Math.floor((node - 10) / record)];
  const total = [most[0]!];
  const width = bytesFor(most[0]!);
  for (let height = 1; height <= depth; height++) {
    const pointer = 8 + width + (height > 1 ? bytesFor(total[height - 1]!) : 0);
    most.push(Math.floor((node - 10 - pointer) / (record + pointer)));
    total.push((most[height]! + 1) * total[height - 1]! + most[height]!);
  }
  const out: number[] = [];
  const walk = (address: number, records: number, height: number) => {
    const cursor = file.at(address);
    cursor.expect(height ? 'BTIN' : 'BTLF');
    cursor.past(2);
    for (let i = 0; i < records; i++) out.push(cursor.at + i * record);
    cursor.past(records * record);
    for (let i = 0; height && i <= records; i++) {
      const [child, inside] = [cursor.address(), cursor.number(width)];
      cursor.past(height > 1 ? bytesFor(total[height - 1]!) : 0);
      walk(child, inside, height - 1);
    }
  };
  if (root < nowhere && count) walk(root, count, depth);
  return out;
}

// III.G: a fractal heap; only its managed objects, which lie in direct blocks.
class Heap {
  private readonly blocks: { first: number; size: number; address: number }[] = [];
  private readonly offsetBytes: number;
  private readonly lengthBytes: number;

  constructor(file: File, header: number) {
    const head = file.at(header);
    head.expect('FRHP');
    head.past(1 + 2);
    if (head.number(2)) throw new Error('links behind a filter');
    head.past(1);
    const largestManaged = head.number(4);
    head.past(12 * 8);
    const width = head.number(2);
    const start = head.number(8);
    const largest = head.number(8);
    const bits = head.number(2);
    head.past(2);
    const root = head.address();
    const rows = head.number(2);
    this.offsetBytes = Math.ceil(bits / 8);
    this.lengthBytes = Math.ceil(Math.log2(Math.min(largest, largestManaged) + 1) / 8);
    if (rows === 0) {
      this.blocks.push({ first: 0, size: start, address: root });
      return;
    }
    const cursor = file.at(root);
    cursor.expect('FHIB');
    cursor.past(1 + 8 + this.offsetBytes);
    let first = 0;
    for (let row = 0; row < rows; row++) {
      const size = start * 2 ** Math.max(0, row - 1);
      if (size > largest) throw new Error('more links than this page reads');
      for (let i = 0; i < width; i++, first += size) {
        const address = cursor.address();
        if (address < nowhere) this.blocks.push({ first, size, address });
      }
    }
  }

  // Offsets count the blocks' own headers, too.
  place(id: Cursor): number {
    id.past(1);
    const offset = id.number(this.offsetBytes);
    id.past(this.lengthBytes);
    const block = this.blocks.find(({ first, size }) => offset >= first && offset < first + size);
    if (!block) throw new Error('a link without a place');
    return block.address + offset - block.first;
  }
}

const fletcher32 = 3;

// Data layout messages, IV.A.2.i, of versions 3 (contiguous) and 4 (chunked).
class Chunks {
  private readonly out: Uint8Array;

  constructor(
    private readonly file: File,
    private readonly extents: number[],
    private readonly item: number,
    private readonly filters: number[],
  ) {
    if (filters.some((id) => id !== fletcher32)) throw new Error('a compressed dataset; h5repack -f NONE makes a plain one');
    const bytes = extents.reduce((a, b) => a * b, item);
    // What is not compressed takes as much of the file: whoever says more would have memory for nothing.
    if (!(bytes <= file.bytes.length)) throw new Error('a dataset larger than its file');
    this.out = new Uint8Array(bytes);
  }

  read(layout: Cursor): Uint8Array {
    const [version, kind] = [layout.number(1), layout.number(1)];
    if (this.out.length === 0) return this.out;
    if (kind === 1) this.contiguous(layout.address());
    else if (kind === 2 && version === 4) this.chunked(layout);
    else throw new Error('a layout that this page does not read');
    return this.out;
  }

  private contiguous(address: number) {
    if (address < nowhere) this.out.set(this.file.bytes.subarray(address, address + this.out.length));
  }

  private chunked(layout: Cursor) {
    const flags = layout.number(1);
    const rank = layout.number(1) - 1;
    const width = layout.number(1);
    const chunk = Array.from({ length: rank }, () => layout.number(width));
    layout.past(width);
    const index = layout.number(1);
    const whole = chunk.reduce((a, b) => a * b, this.item);
    if (index === 1) {
      const size = flags & 2 ? layout.number(8) : whole;
      layout.past(flags & 2 ? 4 : 0);
      this.place(0, layout.address(), size, chunk);
    } else if (index === 3) {
      layout.past(1);
      this.fixedArray(layout.address(), chunk, whole);
    } else {
      throw new Error('chunks in an order that this page does not read');
    }
  }

  // VII.C: one entry per chunk, in pages where there are many.
  private fixedArray(header: number, chunk: number[], whole: number) {
    const head = this.file.at(header);
    head.expect('FAHD');
    head.past(1);
    const filtered = head.number(1) === 1;
    const [entry, pageBits] = [head.number(1), head.number(1)];
    const count = head.number(8);
    const block = this.file.at(head.address());
    block.expect('FADB');
    block.past(2 + 8);
    const page = 2 ** pageBits;
    const paged = count > page;
    if (paged) block.past(Math.ceil(Math.ceil(count / page) / 8) + 4);
    for (let i = 0; i < count; i++) {
      if (paged && i > 0 && i % page === 0) block.past(4); // the checksum of a page
      const address = block.address();
      const size = filtered ? block.number(entry - 12) : whole;
      block.past(filtered ? 4 : 0);
      this.place(i, address, size, chunk);
    }
  }

  // Chunk i of a grid of them, row by row, into the array.
  private place(i: number, address: number, size: number, chunk: number[]) {
    if (address >= nowhere) return;
    const bytes = this.file.bytes.subarray(address, address + size - 4 * this.filters.length);
    const grid = this.extents.map((extent, axis) => Math.ceil(extent / chunk[axis]!));
    const [rows, columns] = [this.extents[0] ?? 1, this.extents[1] ?? 1];
    const [high, wide] = [chunk[0] ?? 1, chunk[1] ?? 1];
    const across = grid[1] ?? 1;
    const [top, left] = [Math.floor(i / across) * high, (i % across) * wide];
    const run = Math.min(wide, columns - left) * this.item;
    for (let row = 0; row < high && top + row < rows; row++) {
      const from = row * wide * this.item;
      this.out.set(bytes.subarray(from, from + run), ((top + row) * columns + left) * this.item);
    }
  }
}

export function isHdf5(bytes: Uint8Array): boolean {
  return [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a].every((byte, i) => bytes[i] === byte);
}

export function readHdf5(bytes: Uint8Array, page: string): RecordedRun {
  const file = new File(bytes);
  const root = file.links(file.root());
  const own = root.get('catena.run');
  if (own === undefined) throw new Error('no group catena.run');
  const texts = file.links(own);
  const text = (name: string) => (texts.has(name) ? new TextDecoder().decode(file.dataset(texts.get(name)!)) : undefined);
  refuseLater(text('version'), page);
  const stems = JSON.parse(text('stems') ?? '[]') as string[][];
  const array = (name: string) => {
    const header = root.get(name);
    if (header === undefined) throw new Error(`no dataset ${name}`);
    return doublesOf(file.dataset(header));
  };
  return { columns: columnsOfStems(stems, array), scene: text('scene') };
}
