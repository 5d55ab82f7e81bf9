import type { Counts } from './check';

/** What came of one check, and how long it took. */
export interface Finding extends Counts {
  name: string;
  seconds: number;
}

/** Passed and failed of all checks together. */
export function sum(findings: Finding[]): Counts {
  return {
    passed: findings.reduce((total, finding) => total + finding.passed, 0),
    failed: findings.reduce((total, finding) => total + finding.failed, 0),
  };
}

/** A line for each check; the last line is the total, as `N passed, M failed`. */
export function summary(findings: Finding[]): string {
  const width = Math.max(...findings.map((finding) => finding.name.length));
  const lines = findings.map(
    ({ name, passed, failed, seconds }) =>
      `${failed === 0 ? 'ok  ' : 'FAIL'}  ${name.padEnd(width)}  ${passed} passed, ${failed} failed  (${seconds.toFixed(0)} s)`,
  );
  const total = sum(findings);
  return [...lines, '', `${total.passed} passed, ${total.failed} failed`].join('\n');
}
