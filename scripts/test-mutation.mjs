/**
 * `npm run test:mutation -- <folder or file>`: changes the source in small ways, one at a time, and runs
 * the tests without n8n that are closest to the changed files; with `--all-tests`, for what they do not
 * find, all that reach them; with `--one-in 20`, one in about twenty changes. A change that no test finds
 * asks for a test, or for a simpler line. The result is in `reports/mutation`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import glob from 'fast-glob';
import ts from 'typescript';
import { nameOf } from './mutation/chosen.mjs';

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE = 'nodes/OutboundAiCalling';
const CHOSEN = join(PROJECT, 'scripts/mutation/chosen.mjs');
const REPORTS = join(PROJECT, 'reports/mutation');
/** What `npm run bench -- page` shows. */
const PUBLISHED = join(PROJECT, 'docs/benchmarks/mutation.json');
const FOLDERS = ['http', 'service', 'contacts', 'rules', 'callLog'];
/** How many test files of a source file are asked by the end of each round. */
const ROUNDS = [4, 8, 24];
const FOUND = ['Killed', 'Timeout'];
const MISSED = ['Survived', 'NoCoverage'];

// Stryker finds a test again by its name, and names tell the seed.
process.env.SEED ??= '1';

/**
 * @param {string[]} files
 * @param {string[]} testMatch
 * @param {import('./mutation/chosen.mjs').Choice} choice which changes are tried
 */
async function mutants(files, testMatch, choice) {
  process.env.CHOSEN_MUTANTS = JSON.stringify(choice);
  const stryker = new Stryker({
    mutate: files,
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner', CHOSEN],
    checkers: ['chosen'],
    jest: { configFile: 'jest.mutation.config.cjs', config: { testMatch } },
    coverageAnalysis: 'perTest',
    // What runs when a file is loaded is not changed, as every test would have to run for it: most of
    // it are the words and fields of the panel, which lint, schemas and pictures hold.
    ignoreStatic: true,
    ignorePatterns: ['dist', 'reports'],
    reporters: ['progress'],
    // A test that is slow on a busy machine must not count as one that has found a change.
    timeoutMS: 60_000,
    timeoutFactor: 5,
    // The first run without a change takes half an hour on a machine that does other work too.
    dryRunTimeoutMinutes: 60,
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

/**
 * Says and writes down what was found of a file or a folder.
 *
 * @param {string} target
 * @param {import('@stryker-mutator/api/core').MutantResult[]} results
 * @param {number} oneIn
 * @param {number} testFiles how many of each file were asked at most
 */
function tell(target, results, oneIn, testFiles) {
  const tried = results.filter(({ status }) => [...FOUND, ...MISSED].includes(status));
  const survivors = tried.filter(({ status }) => MISSED.includes(status)).map(nameOf);
  const found = tried.length - survivors.length;
  const percent = Number(((100 * found) / tried.length).toFixed(1));
  const timedOut = tried.filter(({ status }) => status === 'Timeout').map(nameOf);
  const measuredAt = new Date().toISOString();
  const report = {
    target,
    mutants: tried.length,
    oneIn,
    // JSON has no infinity: null stands for all.
    testFiles,
    found,
    percent,
    survivors,
    timedOut,
    measuredAt,
  };
  const name = target.replaceAll('/', '-');
  mkdirSync(REPORTS, { recursive: true });
  writeFileSync(join(REPORTS, `${name}.json`), JSON.stringify(report, null, 2));
  if (FOLDERS.includes(target)) {
    const saved = JSON.parse(readFileSync(PUBLISHED, 'utf8'));
    writeFileSync(PUBLISHED, `${JSON.stringify({ ...saved, [target]: report }, null, 2)}\n`);
  }
  console.log(`${target}: ${found} of ${tried.length} changes found (${percent} %)`);
}

/**
 * Changes files and asks the tests that are closest to each; for what these do not find, the next closest.
 *
 * @param {string[]} files
 * @param {number[]} rounds how many tests of each file are asked by the end of each round
 * @param {number} oneIn one in about so many changes is tried
 * @param {(results: import('@stryker-mutator/api/core').MutantResult[], testFiles: number) => void} tellRound
 *   is given all results after each round: the next one may take an hour, or fail
 */
async function mutate(files, rounds, oneIn, tellRound) {
  const sources = [
    'nodes/**/*.ts',
    'test/{unit,contract,core,service,dataTables}/**/*.ts',
    'test/*.ts',
  ];
  const tested = glob.sync(sources, { cwd: PROJECT, absolute: true });
  const imports = new Map(tested.map((file) => [file, importsOf(file)]));
  const results = new Map();
  let asked = 0;
  for (const until of rounds) {
    const missed = [...results.values()].filter(({ status }) => MISSED.includes(status));
    if (asked > 0 && missed.length === 0) break;
    const left =
      asked === 0 ? files : [...new Set(missed.map(({ fileName }) => relative(PROJECT, fileName)))];
    const tests = new Set(left.flatMap((file) => testsOf(file, imports).slice(asked, until)));
    if (tests.size === 0) break;
    const choice = asked === 0 ? { oneIn } : { names: missed.map(nameOf) };
    for (const result of await mutants(left, [...tests], choice)) {
      // A test that loads the package anew seems to be the only one that runs what is run then.
      if (result.static === true) continue;
      const isFound = FOUND.includes(result.status);
      if (asked === 0 || isFound) results.set(nameOf(result), result);
    }
    asked = until;
    tellRound([...results.values()], asked);
  }
}

/**
 * @param {string} target a folder of the source, or a file in it
 * @param {number[]} rounds
 * @param {number} oneIn
 */
async function mutateAll(target, rounds, oneIn) {
  const pattern = target.endsWith('.ts') ? target : `${target}/**/*.ts`;
  const files = glob.sync(`${SOURCE}/${pattern}`, { cwd: PROJECT });
  await mutate(files, rounds, oneIn, (results, testFiles) => {
    // A share of the changes has too few of each file.
    for (const file of files.length > 1 && oneIn === 1 ? files : []) {
      const own = results.filter(({ fileName }) => relative(PROJECT, fileName) === file);
      tell(relative(SOURCE, file), own, oneIn, testFiles);
    }
    tell(target, results, oneIn, testFiles);
  });
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'all-tests': { type: 'boolean' }, 'one-in': { type: 'string', default: '1' } },
});
const [target = ''] = positionals;
const isInFolder = FOLDERS.some((folder) => `${target}/`.startsWith(`${folder}/`));
const oneIn = Number(values['one-in']);
if (!(oneIn >= 1)) {
  console.error('Give --one-in a number from 1 on, such as 20');
  process.exitCode = 2;
} else if (isInFolder && existsSync(join(PROJECT, SOURCE, target))) {
  await mutateAll(target, values['all-tests'] ? [...ROUNDS, Infinity] : ROUNDS, oneIn);
} else {
  console.error(`Name a folder, or a file in one, such as rules/hours.ts: ${FOLDERS.join(', ')}`);
  process.exitCode = 2;
}
