import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../package.json';

const PROJECT = join(__dirname, '..', '..');
const run = promisify(execFile);

const isThere = (...path: string[]) => existsSync(join(PROJECT, ...path));

/** Whether `npm ci` accepts the lock file: it names the libraries that `package.json` names. */
function isLocked(): boolean {
  const lock = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { devDependencies?: unknown }>;
  };
  const locked = lock.packages['']?.devDependencies;
  return JSON.stringify(locked) === JSON.stringify(manifest.devDependencies);
}

/** Whether a script of `package.json` is there, with the files that it runs. */
function isScript(name: string): boolean {
  const script = new Map(Object.entries(manifest.scripts)).get(name);
  const files = script?.match(/\S+\.m?ts\b|\S+\.mjs\b/g) ?? [];
  return script !== undefined && files.every((file) => isThere(file));
}

/** The commands that pages show, and whether one works here. */
const COMMANDS: Array<[RegExp, (...parts: string[]) => boolean]> = [
  [/^npm ci$/, isLocked],
  [/^npm (start|test)$/, isScript],
  [/^npm run ([\w:-]+)$/, isScript],
  [
    /^npm run (test:mutation) -- (\S+)$/,
    (name, path) => isScript(name) && isThere('nodes', 'OutboundAiCalling', path),
  ],
  [
    /^npm run (bench) -- (\w+)$/,
    (name, bench) => isScript(name) && (bench === 'all' || isThere('test', 'bench', `${bench}.ts`)),
  ],
  [/^npx jest (\S+) -t '.+'$/, isThere],
  [
    /^(ESLINT_FLAGS=\w+) npx (n8n-node) lint$/,
    (flag, program) =>
      manifest.scripts['lint:n8n'].startsWith(`${flag} `) &&
      isThere('node_modules', '.bin', program),
  ],
];

function works(command: string): boolean {
  return COMMANDS.some(([pattern, isFine]) => {
    const found = pattern.exec(command);
    return found !== null && isFine(...found.slice(1));
  });
}

/** The commands of a block that do not work, or that nothing here checks. */
export function faultsOfCommands(block: string): string[] {
  const commands = block.split('\n').flatMap((line) => line.replace(/ +#.*$/, '').split(' && '));
  return commands.map((command) => command.trim()).filter((command) => !works(command));
}

/**
 * Runs commands as a person does in a clone, with a home folder of their own.
 *
 * @returns the version of this package in the folder that n8n reads; undefined when there is none
 */
export async function installedAfter(commands: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'person-'));
  const [programs, home, clone] = ['bin', 'home', 'clone'].map((name) => join(folder, name));
  try {
    for (const path of [programs, home, clone]) await mkdir(String(path));
    for (const file of ['package.json', 'README.md', 'LICENSE']) {
      await cp(join(PROJECT, file), join(String(clone), file));
    }
    // The build takes minutes, and has tests of its own.
    const { stdout } = await run('which', ['npm']);
    const npm = `case "$*" in ci | 'run build') exit 0 ;; esac\nexec ${stdout.trim()} "$@"`;
    await writeFile(join(String(programs), 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
    const env = { PATH: `${programs}:${process.env.PATH}`, HOME: home, npm_config_offline: 'true' };
    await run('sh', ['-ec', commands], { cwd: clone, env });
    const nodes = join(String(home), '.n8n', 'nodes', 'node_modules', manifest.name);
    const installed = await readFile(join(nodes, 'package.json'), 'utf8').catch(() => undefined);
    return installed && (JSON.parse(installed) as { version: string }).version;
  } finally {
    await rm(folder, { recursive: true });
  }
}
