/**
 * Loaded into n8n before anything else: writes down every few seconds how many bytes it holds once
 * all garbage is collected, a line each, into the file that LIVE_MEMORY_FILE names.
 */
const { appendFileSync } = require('node:fs');
const v8 = require('node:v8');
const { runInNewContext } = require('node:vm');

const EVERY_MS = 3_000;

const file = process.env.LIVE_MEMORY_FILE;
// Programs that n8n starts inherit its environment.
if (file !== undefined && /n8n$/.test(process.argv[1] ?? '')) {
  v8.setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  const note = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    appendFileSync(file, `${heapUsed + external}\n`);
  };
  setInterval(note, EVERY_MS).unref();
}
