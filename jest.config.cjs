/** Libraries that ship ES modules only, which jest has to translate like our own source. */
const esModules = ['p-limit', 'yocto-queue'].join('|');

const swc = {
  jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs' },
};

/** @param {string} name a folder of `test`, which is also the name to select it by */
const project = (name) => ({
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/test/quiet.cjs', '<rootDir>/scripts/test/oneLibrary.cjs'],
  transform: { '^.+\\.[mc]?[tj]s$': ['@swc/jest', swc] },
  transformIgnorePatterns: [`/node_modules/(?!(?:${esModules})/)`],
});

/** Nothing but timers is waited for here: all else is in the same process. */
const withoutWaits = { setupFilesAfterEnv: ['<rootDir>/test/core/withoutWaits.ts'] };

/** Test files of these projects may share one n8n. */
const withN8n = {
  globalSetup: '<rootDir>/test/n8n/offerN8n.ts',
  globalTeardown: '<rootDir>/test/n8n/withdrawN8n.ts',
};

module.exports = {
  testSequencer: '<rootDir>/scripts/test/waitingFirst.cjs',
  // Only for what hangs: a busy machine may take minutes, and longer with all cases of a generator.
  testTimeout: process.env.LONG === '1' ? 1_800_000 : 900_000,
  projects: [
    ...['unit', 'contract', 'simulation', 'package', 'compat'].map(project),
    { ...project('core'), ...withoutWaits },
    ...['n8n', 'browser'].map((name) => ({ ...project(name), ...withN8n })),
  ],
};
