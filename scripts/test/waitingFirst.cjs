const { readFileSync } = require('node:fs');
const Sequencer = require('@jest/test-sequencer').default;

/** Begins with the test files that wait for polls, so that the others run while those wait. */
module.exports = class WaitingFirst extends Sequencer {
  sort(tests) {
    const waits = ({ path }) => readFileSync(path, 'utf8').includes('waitForFired(');
    const sorted = super.sort(tests);
    return [...sorted.filter(waits), ...sorted.filter((test) => !waits(test))];
  }
};
