const { projects, testTimeout } = require('./jest.config.cjs');

/** What `npm run test:mutation` runs: Stryker sees one project only, so those without n8n become one. */
const merged = projects.filter(({ displayName }) =>
  ['unit', 'contract', 'core'].includes(displayName),
);

module.exports = {
  ...merged[0],
  displayName: 'mutation',
  setupFilesAfterEnv: ['<rootDir>/test/core/withoutWaits.ts'],
  testMatch: merged.flatMap(({ testMatch }) => testMatch),
  testTimeout,
};
