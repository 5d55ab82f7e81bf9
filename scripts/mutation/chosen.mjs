/** A plugin of Stryker: of all changes only the chosen ones are tried. */
import { createHash } from 'node:crypto';
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';

/**
 * One in about so many changes, always the same ones; or those with these names.
 *
 * @typedef {{ oneIn: number, names?: undefined } | { oneIn?: undefined, names: string[] }} Choice
 */

/**
 * Names a change by where it is and what stands there then; the folder of the project is left out.
 *
 * @param {Pick<import('@stryker-mutator/api/core').Mutant, 'fileName' | 'location' | 'mutatorName' | 'replacement'>} mutant
 */
export function nameOf({ fileName, location: { start, end }, mutatorName, replacement }) {
  const path = fileName.slice(fileName.lastIndexOf('/nodes/') + 1);
  const place = `${start.line}:${start.column}-${end.line}:${end.column}`;
  return `${path}:${place} ${mutatorName} → ${replacement}`;
}

/**
 * Before a change is tried Stryker counts its lines and columns from 0, and from 1 in its results.
 *
 * @template {Pick<import('@stryker-mutator/api/core').Mutant, 'location'>} M
 * @param {M} mutant
 */
function countedFromOne(mutant) {
  const next = ({ line, column }) => ({ line: line + 1, column: column + 1 });
  const { start, end } = mutant.location;
  return { ...mutant, location: { start: next(start), end: next(end) } };
}

/** @param {Choice} choice @param {string} name */
function isChosen({ oneIn, names }, name) {
  if (names !== undefined) return names.includes(name);
  return createHash('sha256').update(name).digest().readUInt32BE() % oneIn === 0;
}

function chosenOnly() {
  const choice = JSON.parse(process.env.CHOSEN_MUTANTS ?? '');
  return {
    init: async () => {},
    group: async (mutants) => [mutants.map(({ id }) => id)],
    check: async (mutants) =>
      Object.fromEntries(
        mutants.map((mutant) => [
          mutant.id,
          isChosen(choice, nameOf(countedFromOne(mutant)))
            ? { status: 'passed' }
            : { status: 'compileError', reason: 'not chosen' },
        ]),
      ),
  };
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, 'chosen', chosenOnly)];
