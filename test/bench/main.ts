/** `npm run bench -- NAME`: measures in the real n8n, as ratios within one run. */
import Table from 'cli-table3';
import { startPreparedN8n, type PreparedN8n } from '../../scripts/n8n';
import { Blocks } from './blocks';
import { benchCampaign } from './campaign';
import { benchCaps } from './caps';
import { benchDispatch } from './dispatch';
import { benchDoNotCall } from './doNotCall';
import { benchLatency } from './latency';
import { benchLog } from './log';
import { benchReport } from './report';
import { benchRules } from './rules';
import { benchScheduled } from './scheduled';

const BENCHMARKS: Record<string, (n8n: PreparedN8n, blocks: Blocks) => Promise<string[][]>> = {
  campaign: benchCampaign,
  caps: benchCaps,
  dispatch: benchDispatch,
  doNotCall: benchDoNotCall,
  latency: benchLatency,
  log: benchLog,
  report: benchReport,
  rules: benchRules,
  scheduled: benchScheduled,
};

async function main(): Promise<number> {
  const [name = ''] = process.argv.slice(2);
  const bench = BENCHMARKS[name];
  if (bench === undefined) {
    console.error(`npm run bench -- ${Object.keys(BENCHMARKS).join(' | ')}`);
    return 2;
  }
  const blocks = await Blocks.prepare();
  const n8n = await startPreparedN8n({ env: { ...blocks.env, N8N_METRICS: 'true' } });
  try {
    const [head = [], ...rows] = await bench(n8n, blocks);
    const table = new Table({ head, style: { head: [] } });
    table.push(...rows);
    console.log(table.toString());
    return 0;
  } finally {
    await n8n.stop();
    await blocks.remove();
  }
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);
