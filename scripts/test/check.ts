import { spawn } from 'node:child_process';
import { type CommandFailed, runCommand } from '../n8n/command';

/** How a check went, counted in tests. */
export interface Counts {
  passed: number;
  failed: number;
}

/** A named part of a suite. */
export interface Check {
  name: string;
  run: () => Promise<Counts>;
}

export const PASSED: Counts = { passed: 1, failed: 0 };
export const FAILED: Counts = { passed: 0, failed: 1 };

/**
 * A check that is one program, and that counts as one: it succeeds or it does not. What it writes
 * is shown when it has ended, so that programs that run at the same time do not mix their lines.
 */
export function programCheck(name: string, program: string, args: string[]): Check {
  return {
    name,
    run: async () => {
      const { counts, output } = await runCommand(program, args, { cwd: process.cwd() }).then(
        (output) => ({ counts: PASSED, output }),
        ({ output }: CommandFailed) => ({ counts: FAILED, output: `${output}\n` }),
      );
      if (output !== '') process.stdout.write(`\n--- ${name}\n${output}`);
      return counts;
    },
  };
}

/** Runs a program whose output the person sees at once; 127 when it is not there. */
export async function exitCodeOf(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  return await new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
    child.on('error', (error) => {
      process.stderr.write(`${error.message}\n`);
      resolve(127);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}
