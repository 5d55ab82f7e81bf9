import type { IDataObject } from 'n8n-workflow';
import { BEGINS } from './clock';

/** The rule of hours in which nobody can be called when a test begins. */
export function closedHours(): IDataObject {
  const at = (hours: number) =>
    new Date(BEGINS.getTime() + hours * 3_600_000).toISOString().slice(11, 16);
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  return { callingHours: { hours: { start: at(2), end: at(3), days, timezone: 'UTC' } } };
}
