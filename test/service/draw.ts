import { createHash } from 'node:crypto';

/**
 * Numbers that depend on nothing but the seed and the names given, so that a run is the same
 * however its requests are interleaved.
 *
 * @returns a function that gives the next number from 0 (included) to 1 (excluded)
 */
export function drawFrom(...names: Array<string | number>): () => number {
  let round = 0;
  return () => {
    const digest = createHash('sha256')
      .update(JSON.stringify([...names, round++]))
      .digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  };
}
