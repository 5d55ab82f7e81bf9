const { projects } = require('./jest.config.cjs');

/** What `npm run test:mutation` runs: Stryker sees one project only, so those without n8n become one. */
const merged = projects.filter(({ displayName }) =>
  ['unit', 'contract', 'core'].includes(displayName),
);

module.exports = {
  ...merged[0],
  displayName: 'mutation',
  setupFilesAfterEnv: ['<rootDir>/test/core/withoutWaits.ts'],
  testMatch: merged.flatMap(({ testMatch }) => testMatch),
  // A change that lets a test hang is found when this has passed. No test takes a tenth of it.
  testTimeout: 120_000,
};
