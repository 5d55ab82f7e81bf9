const { readFileSync } = require('node:fs');
const Sequencer = require('@jest/test-sequencer').default;

/** What makes test files wait, the longest first. */
const WAITS = ['.restart(', 'waitForFired('];

/**
 * Begins with the test files that wait, for restarts of n8n and for polls, so that the others run
 * while those wait.
 */
module.exports = class WaitingFirst extends Sequencer {
  sort(tests) {
    const placeOf = ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const place = WAITS.findIndex((wait) => text.includes(wait));
      return place === -1 ? WAITS.length : place;
    };
    const placed = super.sort(tests).map((test) => ({ test, place: placeOf(test) }));
    return placed.sort((one, other) => one.place - other.place).map(({ test }) => test);
  }
};
