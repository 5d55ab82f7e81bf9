/** `npm test`: every check there is, one after the other, to the end even when some fail. */
import { ensureN8n } from './n8n';
import { debianChecks } from './test/debian';
import { type Check, type Counts, FAILED, PASSED, programCheck } from './test/check';
import { jestCheck } from './test/jest';
import { type Finding, sum, summary } from './test/summary';

const CHECKS: Check[] = [
  programCheck('formatting', 'npx', ['prettier', '--check', '.']),
  programCheck('lint', 'npm', ['run', '--silent', 'lint']),
  programCheck('types', 'npm', ['run', '--silent', 'types']),
  programCheck('build', 'npm', ['run', '--silent', 'build']),
  {
    name: 'the real n8n',
    run: async () => {
      await ensureN8n();
      return PASSED;
    },
  },
  ...debianChecks,
  jestCheck,
];

async function main(): Promise<number> {
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    process.stdout.write(`\n--- ${check.name}\n`);
    const startedAt = Date.now();
    const counts = await outcomeOf(check);
    findings.push({ ...counts, name: check.name, seconds: (Date.now() - startedAt) / 1000 });
  }
  process.stdout.write(`\n${summary(findings)}\n`);
  return sum(findings).failed === 0 ? 0 : 1;
}

async function outcomeOf(check: Check): Promise<Counts> {
  try {
    return await check.run();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return FAILED;
  }
}

void main().then((exitCode) => {
  process.exitCode = exitCode;
});
