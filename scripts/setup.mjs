/**
 * Makes a fresh checkout ready to run: installs what the lock file names, unless that is there
 * already. Plain Node.js without libraries, because it runs before there are any.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED_NODE = [20, 19];

const project = join(dirname(fileURLToPath(import.meta.url)), '..');
const lockFile = join(project, 'package-lock.json');
const stamp = join(project, 'node_modules', '.installed-lock-file');

requireNode();
const hash = createHash('sha256').update(readFileSync(lockFile)).digest('hex');
if (!isInstalled(hash)) install(hash);

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor] = NEEDED_NODE;
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return;
  fail(
    `This project needs Node.js ${NEEDED_NODE.join('.')} or newer, and this is ${process.versions.node}. ` +
      'Install a newer one, for example from nodejs.org or with nvm, and try again.',
  );
}

/** @param {string} lockHash of the lock file as it is now */
function isInstalled(lockHash) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash;
}

/** @param {string} lockHash noted when everything is installed */
function install(lockHash) {
  const startedAt = Date.now();
  console.error('Installing libraries (about a minute)');
  // Some libraries of n8n's ask for a newer Node.js than what is used of them: no warnings of that.
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync('npm', ['ci', ...quiet], {
    cwd: project,
    stdio: ['ignore', 2, 2],
  });
  if (error) fail(`npm could not be started: ${error.message}`);
  if (status !== 0) fail(`"npm ci" failed with exit code ${status}; see its messages above.`);
  writeFileSync(stamp, lockHash);
  console.error(`Installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

/** @param {string} message what is wrong and what to do */
function fail(message) {
  console.error(message);
  process.exit(1);
}
