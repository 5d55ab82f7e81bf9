/**
 * Runs a program for as long as the process that started this one lives. That process holds our
 * standard input open; when it dies, in whatever way, the input ends and so does the program.
 *
 * Usage: node guardian.mjs <program> [argument...]
 */
import { spawn } from 'node:child_process';

const GRACE_MS = 5_000;

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });

// A signal is sent to the whole group: the program gets its own, and we stay to tell how it ended.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});

child.on('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 143)));

process.stdin.resume();
process.stdin.on('end', () => {
  child.kill('SIGTERM');
  setTimeout(() => process.kill(-process.pid, 'SIGKILL'), GRACE_MS);
});
