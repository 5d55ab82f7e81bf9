/** `npm run simulate -- --histories 1000000 --seed 1`: tries drawn histories, and tells of those that break a law. */
import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { LAW_NAMES, type LawName } from './laws/laws';
import { explain, tryHistory, type Failure } from './simulate';
import { PackageText } from './world/package';

// Stories say where something happened; to note it for every error takes longer than all else.
Error.stackTraceLimit = 0;

const BAR = 30;
/** A log file needs a line now and then only. */
const TOLD_EVERY_MS = process.stdout.isTTY ? 500 : 60_000;

/** Megabytes for what is new: most of a history is garbage before they are full. */
const ROOM = '--max-semi-space-size=64';

interface Progress {
  done: number;
  failure?: Failure;
}

interface Share {
  from: number;
  to: number;
  step: number;
  laws: LawName[];
  mostFailures: number;
}

/** Tries every so-many-th history of a range. */
async function tryShare(
  { from, to, step, laws, mostFailures }: Share,
  tell: (progress: Progress) => Promise<void>,
) {
  const text = await PackageText.bundle();
  let failures = 0;
  for (let seed = from; seed < to && failures < mostFailures; seed += step) {
    const failure = await tryHistory(text, seed, laws);
    if (failure !== undefined) failures++;
    await tell({ done: 1, ...(failure && { failure }) });
  }
}

function lawsOf(names: string | undefined): LawName[] {
  if (names === undefined) return LAW_NAMES;
  return names.split(',').map((name) => {
    const law = LAW_NAMES.find((one) => one === name);
    if (law === undefined) throw new Error(`There is no law "${name}": ${LAW_NAMES.join(', ')}`);
    return law;
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      histories: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      workers: { type: 'string', default: '1' },
      laws: { type: 'string' },
      failures: { type: 'string', default: '1' },
    },
  });
  const histories = Number(values.histories);
  const from = Number(values.seed);
  const workers = Number(values.workers);
  const laws = lawsOf(values.laws);
  const startedAt = Date.now();
  const failures: Failure[] = [];
  let done = 0;
  let toldAt = startedAt;
  const show = (isLast: boolean) => {
    const now = Date.now();
    if (!isLast && now - toldAt < TOLD_EVERY_MS) return;
    toldAt = now;
    const filled = Math.round((done / histories) * BAR);
    const bar = '█'.repeat(filled).padEnd(BAR, '░');
    const perMinute = Math.round((done / (now - startedAt)) * 60_000);
    const line = `${bar} ${done} of ${histories}, ${perMinute} a minute, ${failures.length} failed`;
    process.stdout.write(process.stdout.isTTY ? `\r${line}` : `${line}\n`);
  };
  const hear = (progress: Progress) => {
    done += progress.done;
    if (progress.failure !== undefined) {
      failures.push(progress.failure);
      const { seed, violations } = progress.failure;
      process.stdout.write(`\nseed ${seed} breaks "${violations[0]?.law}"\n`);
    }
    show(false);
  };
  const shares = Array.from({ length: workers }, (_, index) => ({
    from: from + index,
    to: from + histories,
    step: workers,
    laws,
    mostFailures: Number(values.failures),
  }));
  await Promise.all(shares.map(async (share) => await inAnotherProcess(share, hear)));
  show(true);
  process.stdout.write('\n');
  const text = await PackageText.bundle();
  for (const failure of failures) process.stdout.write(`\n${await explain(text, failure)}\n`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

async function inAnotherProcess(share: Share, hear: (progress: Progress) => void): Promise<void> {
  const env = { ...process.env, SHARE: JSON.stringify(share) };
  const child = fork(__filename, { env, execArgv: [...process.execArgv, ROOM] });
  child.on('message', (progress) => hear(progress as Progress));
  await new Promise<void>((resolve, reject) => {
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`Exit code ${code}`))));
  });
}

/** A history never lets Node.js write by itself what a slow reader has not taken yet. */
async function report(progress: Progress): Promise<void> {
  await new Promise((resolve) => process.send?.(progress, resolve));
}

const share = process.env.SHARE;
void (share === undefined
  ? main()
  : tryShare(JSON.parse(share) as Share, report).then(() => process.disconnect?.()));
