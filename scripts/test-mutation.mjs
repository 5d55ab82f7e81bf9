/**
 * `npm run test:mutation -- <folder or file>`: changes the source in small ways, one at a time, and runs
 * the tests without n8n that reach the change. A change that no test finds asks for a test, or for a
 * simpler line. The report is a page in `reports/mutation`.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE = 'nodes/OutboundAiCalling';
const FOLDERS = ['http', 'service', 'contacts', 'rules', 'callLog'];

// Stryker finds a test again by its name, and names tell the seed.
process.env.SEED ??= '1';

/** @param {string} target a folder of the source, or a file in it */
async function mutate(target) {
  const path = `${SOURCE}/${target}`;
  const report = `reports/mutation/${target.replaceAll('/', '-')}`;
  const isFolder = statSync(join(PROJECT, path)).isDirectory();
  const stryker = new Stryker({
    mutate: [isFolder ? `${path}/**/*.ts` : path],
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    jest: { configFile: 'jest.mutation.config.cjs' },
    coverageAnalysis: 'perTest',
    ignorePatterns: ['dist', 'reports'],
    reporters: ['clear-text', 'progress', 'html'],
    clearTextReporter: { logTests: false, reportTests: false },
    htmlReporter: { fileName: `${report}.html` },
    // Another run tries again only what its changes can concern.
    incremental: true,
    incrementalFile: `${report}.json`,
    // A test that is slow on a busy machine must not count as one that has found a change.
    timeoutMS: 15_000,
    timeoutFactor: 5,
    cleanTempDir: 'always',
    allowConsoleColors: process.stdout.isTTY,
  });
  await stryker.runMutationTest();
}

const [target = ''] = process.argv.slice(2);
const isInFolder = FOLDERS.some((folder) => `${target}/`.startsWith(`${folder}/`));
if (isInFolder && existsSync(join(PROJECT, SOURCE, target))) {
  await mutate(target);
} else {
  console.error(`Name a folder, or a file in one, such as rules/hours.ts: ${FOLDERS.join(', ')}`);
  process.exitCode = 2;
}
