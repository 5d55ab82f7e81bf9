import { programCheck, type Check } from './check';

/** Drawn histories of the simulated world, from the first on. */
export function simulationCheck(histories: number, workers: number): Check {
  const drawn = ['--histories', String(histories), '--workers', String(workers)];
  return programCheck('simulated histories', 'npm', [
    'run',
    '--silent',
    'simulate',
    '--',
    ...drawn,
  ]);
}
