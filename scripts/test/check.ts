import { spawn } from 'node:child_process';

/** How a check went, counted in tests. */
export interface Counts {
  passed: number;
  failed: number;
}

/** A named part of `npm test`. */
export interface Check {
  name: string;
  run: () => Promise<Counts>;
}

export const PASSED: Counts = { passed: 1, failed: 0 };
export const FAILED: Counts = { passed: 0, failed: 1 };

/** A check that is one program, and that counts as one: it succeeds or it does not. */
export function programCheck(name: string, program: string, args: string[]): Check {
  return {
    name,
    run: async () => ((await exitCodeOf(program, args)) === 0 ? PASSED : FAILED),
  };
}

/** Runs a program whose output the person sees; 127 when it is not there. */
export async function exitCodeOf(program: string, args: string[]): Promise<number> {
  return await new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error) => {
      process.stderr.write(`${error.message}\n`);
      resolve(127);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}
