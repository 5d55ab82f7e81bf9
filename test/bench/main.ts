/**
 * `npm run bench -- NAME`: measures in the real n8n, as ratios within one run. `all` runs all
 * benchmarks, `page` writes `docs/benchmarks.md` from what was measured last.
 */
import Table from 'cli-table3';
import { PreparedN8n } from '../../scripts/n8n';
import { BENCHES } from './benches';
import { Blocks } from './blocks';
import { meetsAim, median, told, type Bench, type Figure } from './figure';
import { writePage } from './page';
import { machine, saveResult, versions } from './results';
import { IS_TRIAL } from './size';

function show(figures: Figure[]): void {
  const table = new Table({ head: ['figure', 'median', 'runs', 'aim met'], style: { head: [] } });
  for (const figure of figures) {
    const { name, unit, values } = figure;
    const runs = values.map((value) => told(value, unit)).join(', ');
    table.push([name, told(median(values), unit), runs, String(meetsAim(figure) ?? '')]);
  }
  console.log(table.toString());
}

async function runOne(name: string, bench: Bench): Promise<void> {
  const startedAt = Date.now();
  const blocks = await Blocks.prepare();
  const n8n = await PreparedN8n.start({ env: blocks.env });
  try {
    const figures = await bench.measure(n8n, blocks);
    console.log(bench.title);
    show(figures);
    const missing = figures.find(
      ({ values }) => values.length === 0 || !values.every(Number.isFinite),
    );
    if (missing !== undefined) throw new Error(`"${missing.name}" was not measured`);
    if (IS_TRIAL) return;
    await saveResult(name, {
      command: `npm run bench -- ${name}`,
      measuredAt: new Date().toISOString(),
      tookSeconds: Math.round((Date.now() - startedAt) / 1000),
      machine: machine(),
      versions: versions(),
      figures,
    });
  } finally {
    await n8n.stop();
    await blocks.remove();
  }
}

async function main(): Promise<number> {
  const [wanted = ''] = process.argv.slice(2);
  const chosen = wanted === 'all' ? Object.entries(BENCHES) : [];
  const single = BENCHES[wanted];
  if (single !== undefined) chosen.push([wanted, single]);
  if (chosen.length === 0 && wanted !== 'page') {
    console.error(`npm run bench -- all | page | ${Object.keys(BENCHES).join(' | ')}`);
    return 2;
  }
  let failed = 0;
  for (const [name, bench] of chosen) {
    await runOne(name, bench).catch((error: unknown) => {
      failed++;
      console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  if (!IS_TRIAL && single === undefined) await writePage(BENCHES);
  return failed === 0 ? 0 : 1;
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);
