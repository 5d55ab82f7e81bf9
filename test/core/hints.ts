import type { Execution } from './engine';

/** What an execution tells a person beside its items. */
export function hintsOf({ run: { data } }: Execution): string[] {
  return Object.values(data.resultData.runData)
    .flat()
    .flatMap(({ hints = [] }) => hints.map(({ message }) => message));
}
