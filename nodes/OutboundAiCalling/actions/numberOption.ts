import type { NumberField } from '../fields';
import type { Bounds } from '../values';
import type { ItemParameters } from './itemParameters';

/** Reads a number among the options, under the name and with the default that its field shows. */
export function numberOption(
  parameters: ItemParameters,
  { name, displayName, default: usual }: NumberField,
  bounds: Bounds,
): number {
  return parameters.number(`options.${name}`, displayName, bounds, usual);
}
