/** Takes one line about what is being done; long steps report through it. */
export type Progress = (line: string) => void;

/** What every long step takes: where to report, and what may call it off. */
export interface StepOptions {
  progress?: Progress;
  signal?: AbortSignal;
}

/** Shows progress on standard error, so that standard output stays free for results. */
export const progressOnStderr: Progress = (line) => {
  process.stderr.write(`${line}\n`);
};

/** Says how long a step took, to a tenth of a second: `12.3 s`. */
export function secondsSince(startedAt: number): string {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}
