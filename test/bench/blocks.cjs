/**
 * Loaded into n8n before anything else: writes down every time that its event loop stood still, a
 * line each, into the file that BLOCKS_FILE names: milliseconds on the clock, and milliseconds of
 * them in which it had the processor. On a busy machine the first grow, not the second.
 */
const { appendFileSync } = require('node:fs');

const SHORTEST_MS = 5;

const file = process.env.BLOCKS_FILE;
// Programs that n8n starts inherit its environment.
if (file !== undefined && /n8n$/.test(process.argv[1] ?? '')) {
  const usedMs = () => {
    const { user, system } = (process.threadCpuUsage ?? process.cpuUsage).call(process);
    return (user + system) / 1000;
  };
  let since = { at: performance.now(), used: usedMs() };
  const look = () => {
    const now = { at: performance.now(), used: usedMs() };
    const blockMs = now.at - since.at;
    if (blockMs >= SHORTEST_MS) appendFileSync(file, `${blockMs} ${now.used - since.used}\n`);
    since = { at: performance.now(), used: usedMs() };
  };
  setInterval(look, 1).unref();
}
