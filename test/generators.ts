/** How many cases a generator tries: few in `npm test`, all in `npm run test:long`. */
export function runs(small: number, full: number): number {
  return process.env.LONG === '1' ? full : small;
}
