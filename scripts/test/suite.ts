import { type Check, type Counts, FAILED } from './check';
import { type Finding, sum, summary } from './summary';

/**
 * Runs checks to their end even when some fail, and prints how long each took; the last line is the
 * total, as `N passed, M failed`. The process ends with code 1 when a check failed.
 *
 * @param stages one after the other; the checks of a stage run at the same time
 */
export async function runSuite(stages: Check[][]): Promise<void> {
  const findings: Finding[] = [];
  for (const stage of stages) {
    process.stdout.write(`\n--- ${stage.map(({ name }) => name).join('; ')}\n`);
    findings.push(...(await Promise.all(stage.map(find))));
  }
  process.stdout.write(`\n${summary(findings)}\n`);
  process.exitCode = sum(findings).failed === 0 ? 0 : 1;
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
