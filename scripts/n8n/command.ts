import { spawn } from 'node:child_process';

const TAIL_LINES = 30;

/** A command that ended with anything but success. */
export class CommandFailed extends Error {
  constructor(
    readonly command: string,
    readonly exitCode: number | null,
    readonly output: string,
  ) {
    super(
      `"${command}" failed${exitCode === null ? '' : ` with exit code ${exitCode}`}:\n${lastLines(output)}`,
    );
    this.name = 'CommandFailed';
  }
}

/** The end of a command's output or of a log, where errors usually stand. */
export function lastLines(text: string, count = TAIL_LINES): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

/**
 * Runs a program to its end.
 *
 * @returns everything it wrote, standard output and standard error together
 * @throws CommandFailed with the end of its output when it fails or is not there
 */
export async function runCommand(
  program: string,
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; signal?: AbortSignal },
): Promise<string> {
  const command = [program, ...args].join(' ');
  return await new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => reject(new CommandFailed(command, null, error.message)));
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new CommandFailed(command, code, output));
    });
  });
}
