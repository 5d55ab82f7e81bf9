import type { IDataObject, ResourceMapperField } from 'n8n-workflow';
import { DAYS, isTimezone, readTimeOfDay, type CallingHours } from '../rules/callingHours';
import { isCountry, readPhoneNumber } from '../contacts/phoneNumber';
import { readIdentifier } from '../service/identifier';
import { objectionToVariableName, type ScriptVariables } from '../service/scriptVariables';
import type { Mistake } from '../mistake';
import type { NodeParameters } from './nodeParameters';

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

/**
 * Reads the parameters of one item and collects everything that is wrong with them, so that a
 * person is told of all mistakes at once. What a method returns for a mistake is a stand-in that
 * is never sent: items with mistakes are not performed.
 */
export class ItemParameters {
  readonly mistakes: Mistake[] = [];

  private readonly resolved = new Map<string, unknown>();

  constructor(
    private readonly parameters: NodeParameters,
    readonly itemIndex: number,
  ) {}

  /** The same parameters for another item. */
  ofItem(itemIndex: number): ItemParameters {
    return new ItemParameters(this.parameters, itemIndex);
  }

  /** Notes a mistake. */
  refuse(parameter: string, message: string, advice?: string): void {
    this.mistakes.push({ parameter, message, advice });
  }

  /**
   * The parameter, or the entry of a collection (`options.maxCalls`), as n8n resolves it for this
   * item; undefined when it is not there or its expression fails.
   */
  value(path: string): unknown {
    const [name = '', ...entries] = path.split('.');
    return entries.reduce<unknown>(
      (value, entry) => (value as IDataObject | null | undefined)?.[entry],
      this.parameter(name),
    );
  }

  private parameter(name: string): unknown {
    if (!this.resolved.has(name)) this.resolved.set(name, this.resolve(name));
    return this.resolved.get(name);
  }

  private resolve(name: string): unknown {
    try {
      return this.parameters.value(name, this.itemIndex);
    } catch (error) {
      this.refuse(`"${name}"`, error instanceof Error ? error.message : 'cannot be evaluated');
      return undefined;
    }
  }

  /** Text of a parameter or of an entry of a collection; undefined when left empty. */
  text(name: string): string | undefined {
    const value = this.value(name);
    if (isBlank(value)) return undefined;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }

  flag(name: string): boolean {
    return this.value(name) === true;
  }

  /** A positive whole number, used as an id. */
  identifier(name: string, displayName: string): number {
    const value = this.value(name);
    const id = readIdentifier(value);
    if (id !== undefined) return id;
    const isMissing = isBlank(value) || value === 0;
    this.refuse(
      displayName,
      isMissing ? 'is missing' : 'is not a positive whole number',
      `Enter the number as the service gave it, e.g. 4821.`,
    );
    return 0;
  }

  /** A number within bounds; `fallback` when left empty. */
  number(
    name: string,
    displayName: string,
    bounds: { min: number; max: number; whole?: boolean },
    fallback: number,
  ): number {
    const value = this.value(name);
    if (isBlank(value)) return fallback;
    const number = Number(value);
    const fits = number >= bounds.min && number <= bounds.max;
    if (fits && (bounds.whole !== true || Number.isInteger(number))) return number;
    const kind = bounds.whole === true ? 'a whole number' : 'a number';
    this.refuse(displayName, `is not ${kind} from ${bounds.min} to ${bounds.max}`);
    return fallback;
  }

  /** The country that national numbers belong to. */
  country(name: string): Parameters<typeof readPhoneNumber>[1] {
    const code = this.text(name)?.trim().toUpperCase();
    if (code === undefined || isCountry(code)) return code;
    this.refuse(
      'Default Country',
      `is not a country code`,
      'Enter the two letters of the country, e.g. IN.',
    );
    return undefined;
  }

  /** The hours in which people may be called; undefined when none are set. */
  callingHours(name: string): CallingHours | undefined {
    const set = this.value(name) as IDataObject | null | undefined;
    if (set === null || set === undefined || Object.keys(set).length === 0) return undefined;
    const timeOfDay = (field: 'start' | 'end', usual: string) => {
      const minutes = readTimeOfDay(isBlank(set[field]) ? usual : String(set[field]));
      if (minutes === undefined) {
        this.refuse('Calling Hours', `have no readable ${field}`, 'Enter a time like 09:00.');
      }
      return minutes ?? 0;
    };
    const timezone = isBlank(set.timezone)
      ? this.parameters.context.getTimezone()
      : String(set.timezone).trim();
    if (!isTimezone(timezone)) {
      this.refuse(
        'Calling Hours',
        `have an unknown timezone: "${timezone}"`,
        'Enter the name of a time zone, e.g. Asia/Kolkata.',
      );
    }
    const chosen = Array.isArray(set.days) ? set.days : ['mon', 'tue', 'wed', 'thu', 'fri'];
    const days = new Set(DAYS.filter((day) => chosen.includes(day)));
    if (days.size === 0) this.refuse('Calling Hours', 'have no days', 'Choose at least one day.');
    return { start: timeOfDay('start', '09:00'), end: timeOfDay('end', '18:00'), days, timezone };
  }

  /** A phone number in E.164. */
  phoneNumber(name: string, displayName: string, country: ReturnType<this['country']>): string {
    const value = this.value(name);
    const reading = readPhoneNumber(value, country);
    if ('e164' in reading) return reading.e164;
    const shown = isBlank(value) ? '' : ` "${String(value).slice(0, 40)}"`;
    this.refuse(displayName + shown, reading.objection);
    return '';
  }

  /**
   * The values for the script's placeholders, from the fields of "Script Variables" and from the
   * names added by hand.
   *
   * @returns the values, and the placeholders that have none
   */
  scriptVariables(): { variables: ScriptVariables; missing: string[] } {
    const mapper = this.value('scriptVariables') as {
      value?: IDataObject | null;
      schema?: ResourceMapperField[];
    } | null;
    const added = this.pairs('additionalFields.moreVariables.variable', 'More Variables');
    const variables: ScriptVariables = {};
    for (const [name, value] of [...Object.entries(mapper?.value ?? {}), ...added]) {
      const objection = objectionToVariableName(name);
      if (objection !== undefined) {
        this.refuse('Script Variables', `cannot be sent: ${objection}`, 'Choose another name.');
      } else if (!isBlank(value)) {
        variables[name] = typeof value === 'object' ? JSON.stringify(value) : String(value);
      }
    }
    const missing = (mapper?.schema ?? [])
      .filter(({ id, required, removed }) => required && removed !== true && !(id in variables))
      .map(({ id }) => id);
    return { variables, missing };
  }

  /** Names and values that were added by hand in a fixed collection. */
  pairs(name: string, displayName: string): Array<[string, unknown]> {
    const entries = this.value(name);
    if (!Array.isArray(entries)) return [];
    return entries.map((entry: IDataObject) => {
      const key = String(entry.name ?? '').trim();
      if (key === '') this.refuse(displayName, 'has an entry without a name');
      return [key, entry.value];
    });
  }
}
