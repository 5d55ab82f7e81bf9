/**
 * `npm run test:mutation -- <folder or file>`: changes the source in small ways, one at a time, and runs
 * the tests without n8n that are closest to the changed file; with `--all-tests`, for what they do not find,
 * all that reach it. A change that no test finds asks for a test, or for a simpler line. The result is in
 * `reports/mutation`.
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
/** How many test files are asked by the end of each round. */
const ROUNDS = [4, 8];
const FOUND = ['Killed', 'Timeout'];
const MISSED = ['Survived', 'NoCoverage'];

// Stryker finds a test again by its name, and names tell the seed.
process.env.SEED ??= '1';

/** @param {string[]} mutate files, or ranges in them @param {string[]} testMatch @param {boolean} isFirst */
async function mutants(mutate, testMatch, isFirst) {
  const stryker = new Stryker({
    mutate,
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    jest: { configFile: 'jest.mutation.config.cjs', config: { testMatch } },
    coverageAnalysis: 'perTest',
    // What runs when a file is loaded is changed once: afterwards every test would have to run for it.
    ignoreStatic: !isFirst,
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

/** The files of the project that a file loads: imports of types alone are gone from its JavaScript. @param {string} file */
function importsOf(file) {
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext },
  });
  return ts
    .preProcessFile(outputText)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
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
 * All test files that lead to a file, those first from which the fewest imports do; of equal ones, those
 * with the fewest files behind them.
 *
 * @param {string} file
 * @param {Map<string, string[]>} imports
 */
function testsOf(file, imports) {
  const reached = new Set([join(PROJECT, file)]);
  const tests = [];
  for (let size = 0; size < reached.size;) {
    size = reached.size;
    const importers = [...imports]
      .filter(([one, imported]) => !reached.has(one) && imported.some((two) => reached.has(two)))
      .map(([one]) => one);
    for (const one of importers) reached.add(one);
    const closest = importers
      .filter((one) => one.endsWith('.test.ts'))
      .map((one) => ({ one, size: filesBehind(one, imports).size }));
    tests.push(...closest.sort((a, b) => a.size - b.size).map(({ one }) => one));
  }
  return tests.map((test) => `<rootDir>/${relative(PROJECT, test)}`);
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
 * Changes a file and asks the closest tests; for what these do not find, the next closest.
 *
 * @param {string} file
 * @param {Map<string, string[]>} imports
 * @param {number[]} rounds how many tests are asked by the end of each round
 */
async function mutate(file, imports, rounds) {
  const tests = testsOf(file, imports);
  let results = [];
  let asked = 0;
  for (const until of rounds) {
    const missed = results.filter(({ status }) => MISSED.includes(status)).map(rangeOf);
    const next = tests.slice(asked, until);
    if (next.length === 0 || (asked > 0 && missed.length === 0)) break;
    const again = await mutants(asked === 0 ? [file] : [...new Set(missed)], next, asked === 0);
    const found = new Set(again.filter(({ status }) => FOUND.includes(status)).map(nameOf));
    results =
      asked === 0
        ? again
        : results.map((one) => (found.has(nameOf(one)) ? { ...one, status: 'Killed' } : one));
    asked = until;
  }
  return results;
}

/**
 * @param {string} target a folder of the source, or a file in it
 * @param {number[]} rounds
 */
async function mutateAll(target, rounds) {
  const pattern = target.endsWith('.ts') ? target : `${target}/**/*.ts`;
  const files = glob.sync(`${SOURCE}/${pattern}`, { cwd: PROJECT });
  const sources = [
    'nodes/**/*.ts',
    'test/{unit,contract,core,service,dataTables}/**/*.ts',
    'test/*.ts',
  ];
  const tested = glob.sync(sources, { cwd: PROJECT, absolute: true });
  const imports = new Map(tested.map((file) => [file, importsOf(file)]));
  const all = [];
  for (const file of files) {
    const results = await mutate(file, imports, rounds);
    tell(relative(SOURCE, file), results);
    all.push(...results);
  }
  if (files.length > 1) tell(target, all);
}

const [target = '', option] = process.argv.slice(2);
const isInFolder = FOLDERS.some((folder) => `${target}/`.startsWith(`${folder}/`));
if (isInFolder && existsSync(join(PROJECT, SOURCE, target))) {
  await mutateAll(target, option === '--all-tests' ? [...ROUNDS, Infinity] : ROUNDS);
} else {
  console.error(`Name a folder, or a file in one, such as rules/hours.ts: ${FOLDERS.join(', ')}`);
  process.exitCode = 2;
}
