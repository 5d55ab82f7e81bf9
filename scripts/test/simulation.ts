import { programCheck, type Check } from './check';

/** Drawn histories of the simulated world, from the first on. */
export function simulationCheck(histories: number): Check {
  const drawn = ['--histories', String(histories), '--workers', '1'];
  const args = ['run', '--silent', 'simulate', '--', ...drawn];
  return programCheck('simulated histories', 'npm', args);
}
