const { projects, testTimeout } = require('./jest.config.cjs');

/** What `npm run test:mutation` runs: Stryker sees one project only, so those without n8n become one. */
const merged = projects.filter(({ displayName }) => ['unit', 'contract'].includes(displayName));

module.exports = {
  ...merged[0],
  displayName: 'mutation',
  testMatch: merged.flatMap(({ testMatch }) => testMatch),
  testTimeout,
};
