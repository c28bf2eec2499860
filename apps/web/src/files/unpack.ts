// Bytes through a stream that packs or unpacks them. What grows beyond all measure is given up while it does, before it
// costs memory.
export class TooLarge extends Error {
  constructor(readonly most: number) {
    super(`it unpacks to more than ${Math.round(most / 1e6)} MB`);
  }
}

const piece = 16384; // a stream unpacks all of a piece at once: up to a thousand times as much

function inPieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream(
    {
      pull(stream) {
        if (at >= bytes.length) stream.close();
        else stream.enqueue(bytes.subarray(at, (at += piece)));
      },
    },
    { highWaterMark: 0 },
  );
}

export async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = inPieces(bytes).pipeThrough(stream as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new TooLarge(most);
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
