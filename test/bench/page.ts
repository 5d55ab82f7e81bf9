import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import prettier from 'prettier';
import { curvesIn, plotOfCurves, type Curve } from './curves';
import type { Bench, Figure } from './figure';
import { meetsAim, median, told } from './figure';
import { plotOf } from './plot';
import { mutationParagraph } from './mutation';
import { DOCS, FOLDER, savedResults, type Result } from './results';

const INTRODUCTION = `# Benchmarks

You see here how quick the nodes are, and what they need.

\`\`\`sh
npm run bench -- dispatch # one benchmark; \`all\` runs all of them
\`\`\`

Everything was measured in the real n8n, with an emulated calling service on the same machine. Each figure has several runs: you see the median, the smallest and the largest. "× 1.2" is 1.2 times what stands after the ÷. In a plot each figure has a scale of its own from zero. Dots are runs, the stroke is the median, the dashed stroke is the aim. [Scaling](scaling.md) says what to set for your number of calls. A peer is a workflow of n8n's own nodes, in \`test/bench/peers\`. Each run checks that it placed the calls and wrote the rows. None checks numbers, finds duplicates or survives a restart without more nodes.
`;

function rowOf(figure: Figure): string {
  const { name, unit, values, aim } = figure;
  const spread =
    values.length < 2
      ? 'one run'
      : `${told(Math.min(...values), unit)} to ${told(Math.max(...values), unit)}`;
  const aimed =
    aim === undefined
      ? ''
      : 'atMost' in aim
        ? `at most ${told(aim.atMost, unit)}`
        : `at least ${told(aim.atLeast, unit)}`;
  const isMet = meetsAim(figure);
  const verdict = isMet === undefined ? '' : isMet ? 'yes' : '**no**';
  return `| ${name} | ${told(median(values), unit)} | ${spread} | ${aimed} | ${verdict} |`;
}

function sectionOf(name: string, { title, about, misses }: Bench, result: Result): string {
  const { command, measuredAt, machine, versions, tookSeconds, figures } = result;
  const isAnyMissed = figures.some((figure) => meetsAim(figure) === false);
  const day = measuredAt.slice(0, 10);
  const how = `\`${command}\` on ${day}, in ${Math.ceil(tookSeconds / 60)} min: ${versions}; ${machine}.`;
  // In one paragraph, so that the page stays short.
  const text = [about, ...(isAnyMissed && misses !== undefined ? [misses] : []), how].join(' ');
  return `## ${title}

${text} ![${title}](benchmarks/${name}.svg)

| Figure | Median | Runs | Aim | Met |
| --- | --- | --- | --- | --- |
${figures.map(rowOf).join('\n')}
`;
}

function curveRow(curve: Curve): string {
  const { axis = '', name = '' } = curve[0]?.along ?? {};
  const points = curve.map(
    ({ along, values, unit }) =>
      `${along.at.toLocaleString('en-US')}: ${told(median(values), unit)}`,
  );
  return `| ${axis} | ${name} | ${points.join(', ')} |`;
}

/** The table in `docs/scaling.md` that is made of what was measured; the words around it are kept. */
const CURVES_TABLE = /\| Along +\| Cost[^]*?\n(?!\|)/;

async function writeMarkdown(file: string, text: string): Promise<void> {
  const options = { ...(await prettier.resolveConfig(file)), filepath: file };
  await writeFile(file, await prettier.format(text, options));
}

async function writeCurves(name: string, { title }: Bench, { figures }: Result): Promise<void> {
  const curves = curvesIn(figures);
  await writeFile(join(FOLDER, `${name}.svg`), plotOfCurves(title, curves));
  const table = ['| Along | Cost | Median |', '| --- | --- | --- |', ...curves.map(curveRow), ''];
  const file = join(DOCS, 'scaling.md');
  const page = await readFile(file, 'utf8');
  await writeMarkdown(
    file,
    page.replace(CURVES_TABLE, () => table.join('\n')),
  );
}

/** Writes `docs/benchmarks.md`, the curves of `docs/scaling.md` and all plots from the results that are saved. */
export async function writePage(benches: Record<string, Bench>): Promise<void> {
  const results = savedResults();
  const sections: string[] = [];
  for (const [name, bench] of Object.entries(benches)) {
    const result = results[name];
    if (result === undefined) continue;
    if (curvesIn(result.figures).length > 0) {
      await writeCurves(name, bench, result);
      continue;
    }
    sections.push(sectionOf(name, bench, result));
    await writeFile(join(FOLDER, `${name}.svg`), plotOf(bench.title, result.figures));
  }
  const page = [INTRODUCTION, mutationParagraph(), ...sections].join('\n');
  await writeMarkdown(join(DOCS, 'benchmarks.md'), page);
}
