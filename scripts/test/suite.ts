import { type Check, type Counts, FAILED } from './check';
import { type Finding, sum, summary } from './summary';

/**
 * Runs checks to their end even when some fail, and prints how long each took; the last line is the
 * total, as `N passed, M failed`. The process ends with code 1 when a check failed.
 *
 * @param stages one after the other; the checks of a stage run at the same time, those of a list in it one
 *   after the other
 */
export async function runSuite(stages: Array<Array<Check | Check[]>>): Promise<void> {
  const findings: Finding[] = [];
  for (const stage of stages) {
    const lanes = stage.map((lane) => [lane].flat());
    const names = lanes.map((lane) => lane.map(({ name }) => name).join(', then '));
    process.stdout.write(`\n--- ${names.join('; ')}\n`);
    findings.push(...(await Promise.all(lanes.map(findInTurn))).flat());
  }
  process.stdout.write(`\n${summary(findings)}\n`);
  process.exitCode = sum(findings).failed === 0 ? 0 : 1;
}

async function findInTurn(checks: Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) findings.push(await find(check));
  return findings;
}

async function find(check: Check): Promise<Finding> {
  const startedAt = Date.now();
  const counts = await outcomeOf(check);
  return { ...counts, name: check.name, seconds: (Date.now() - startedAt) / 1000 };
}

async function outcomeOf(check: Check): Promise<Counts> {
  try {
    return await check.run();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return FAILED;
  }
}
