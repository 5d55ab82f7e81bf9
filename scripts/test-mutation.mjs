/**
 * `npm run test:mutation -- <folder or file>`: changes the source in small ways, one at a time, and runs
 * the tests without n8n that are closest to the changed file; with `--all-tests`, for what they do not find,
 * all that reach it, which takes a minute a change. A change that no test finds asks for a test, or for a
 * simpler line. The result is in `reports/mutation`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import glob from 'fast-glob';
import ts from 'typescript';

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE = 'nodes/OutboundAiCalling';
const REPORTS = join(PROJECT, 'reports/mutation');
const FOLDERS = ['http', 'service', 'contacts', 'rules', 'callLog'];
/** Test files that are asked first. */
const MOST_TESTS = 4;
const FOUND = ['Killed', 'Timeout'];
const MISSED = ['Survived', 'NoCoverage'];

// Stryker finds a test again by its name, and names tell the seed.
process.env.SEED ??= '1';

/** @param {string[]} mutate files, or ranges in them @param {string[]} [testMatch] all tests when left out */
async function mutants(mutate, testMatch) {
  const stryker = new Stryker({
    mutate,
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    jest: {
      configFile: 'jest.mutation.config.cjs',
      ...(testMatch && { config: { testMatch } }),
    },
    coverageAnalysis: 'perTest',
    ignorePatterns: ['dist', 'reports'],
    reporters: ['progress'],
    // A test that is slow on a busy machine must not count as one that has found a change.
    timeoutMS: 15_000,
    timeoutFactor: 5,
    cleanTempDir: 'always',
    allowConsoleColors: process.stdout.isTTY,
  });
  return await stryker.runMutationTest();
}

/** The files of the project that a file imports. @param {string} file */
function importsOf(file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'));
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => resolve(dirname(file), fileName))
    .flatMap((path) => [`${path}.ts`, join(path, 'index.ts')])
    .filter((path) => existsSync(path));
}

/** All files that one leads to. @param {string} file @param {Map<string, string[]>} imports */
function filesBehind(file, imports, behind = new Set()) {
  for (const imported of imports.get(file) ?? []) {
    if (behind.has(imported)) continue;
    behind.add(imported);
    filesBehind(imported, imports, behind);
  }
  return behind;
}

/**
 * Test files from which the fewest imports lead to a file; of many, those with the fewest files behind them.
 *
 * @param {string} file
 * @param {Map<string, string[]>} imports
 */
function closestTests(file, imports) {
  let reached = new Set([join(PROJECT, file)]);
  for (;;) {
    const importers = [...imports].filter(([, imported]) =>
      imported.some((one) => reached.has(one)),
    );
    const tests = importers.map(([one]) => one).filter((one) => one.endsWith('.test.ts'));
    if (tests.length > 0) {
      const sizes = new Map(tests.map((test) => [test, filesBehind(test, imports).size]));
      const smallest = tests.sort((a, b) => (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0));
      return smallest.slice(0, MOST_TESTS).map((test) => `<rootDir>/${relative(PROJECT, test)}`);
    }
    const next = new Set([...reached, ...importers.map(([one]) => one)]);
    if (next.size === reached.size) return [];
    reached = next;
  }
}

/** @param {import('@stryker-mutator/api/core').MutantResult} mutant */
function rangeOf({ fileName, location: { start, end } }) {
  const place = ({ line, column }) => `${line}:${column}`;
  return `${relative(PROJECT, fileName)}:${place(start)}-${place(end)}`;
}

/** @param {import('@stryker-mutator/api/core').MutantResult} mutant */
const nameOf = (mutant) => `${rangeOf(mutant)} ${mutant.mutatorName} → ${mutant.replacement}`;

/**
 * Says and writes down what was found of a file or a folder.
 *
 * @param {string} target
 * @param {import('@stryker-mutator/api/core').MutantResult[]} results
 */
function tell(target, results) {
  const tried = results.filter(({ status }) => [...FOUND, ...MISSED].includes(status));
  const survivors = tried.filter(({ status }) => MISSED.includes(status)).map(nameOf);
  const found = tried.length - survivors.length;
  const percent = Number(((100 * found) / tried.length).toFixed(1));
  const report = { target, mutants: tried.length, found, percent, survivors };
  const name = target.replaceAll('/', '-');
  mkdirSync(REPORTS, { recursive: true });
  writeFileSync(join(REPORTS, `${name}.json`), JSON.stringify(report, null, 2));
  console.log(`${target}: ${found} of ${tried.length} changes found (${percent} %)`);
}

/**
 * Changes a file and asks the closest tests.
 *
 * @param {string} file
 * @param {Map<string, string[]>} imports
 * @param {boolean} isThorough whether all tests are asked for what the closest ones do not find
 */
async function mutate(file, imports, isThorough) {
  const tests = closestTests(file, imports);
  const results = tests.length === 0 ? [] : await mutants([file], tests);
  const missed = results.filter(({ status }) => MISSED.includes(status));
  if (!isThorough || missed.length === 0) return results;
  const again = await mutants([...new Set(missed.map(rangeOf))]);
  const found = new Set(again.filter(({ status }) => FOUND.includes(status)).map(nameOf));
  return results.map((one) => (found.has(nameOf(one)) ? { ...one, status: 'Killed' } : one));
}

/**
 * @param {string} target a folder of the source, or a file in it
 * @param {boolean} isThorough
 */
async function mutateAll(target, isThorough) {
  const pattern = target.endsWith('.ts') ? target : `${target}/**/*.ts`;
  const files = glob.sync(`${SOURCE}/${pattern}`, { cwd: PROJECT });
  const sources = ['nodes/**/*.ts', 'test/{unit,contract,service,dataTables}/**/*.ts', 'test/*.ts'];
  const tested = glob.sync(sources, { cwd: PROJECT, absolute: true });
  const imports = new Map(tested.map((file) => [file, importsOf(file)]));
  const all = [];
  for (const file of files) {
    const results = await mutate(file, imports, isThorough);
    tell(relative(SOURCE, file), results);
    all.push(...results);
  }
  if (files.length > 1) tell(target, all);
}

const [target = '', option] = process.argv.slice(2);
const isInFolder = FOLDERS.some((folder) => `${target}/`.startsWith(`${folder}/`));
if (isInFolder && existsSync(join(PROJECT, SOURCE, target))) {
  await mutateAll(target, option === '--all-tests');
} else {
  console.error(`Name a folder, or a file in one, such as rules/hours.ts: ${FOLDERS.join(', ')}`);
  process.exitCode = 2;
}
