import { readOutcomeList, wildcardIn } from './service/outcomeList';
import { objectionToText } from './objections';
import { boundsInWords, isEmpty, readNumber, readSwitch, textOrJson, type Bounds } from './values';

/** Reads settings one by one, in any form that an expression gives, and notes their mistakes. */
export abstract class SettingsReader {
  /** Whether the person has added the setting. */
  abstract has(path: string): boolean;

  /** The setting as it was given; undefined when it is not there. */
  abstract value(path: string): unknown;

  /** Notes a mistake. */
  abstract refuse(parameter: string, message: string, advice?: string): void;

  /** Text of a setting; undefined when left empty. */
  text(path: string): string | undefined {
    const value = this.value(path);
    if (isEmpty(value)) return undefined;
    return textOrJson(value);
  }

  /** Text about an order or a person, trimmed; undefined when empty. An unsound one is a mistake. */
  soundText(path: string, displayName: string, objectionTo = objectionToText): string | undefined {
    const objection = objectionTo(this.value(path));
    if (objection !== undefined) this.refuse(displayName, objection);
    return this.text(path)?.trim() || undefined;
  }

  /** A switch; `usual` when it was not added. An unreadable value is a mistake, not silently off. */
  switch(path: string, displayName: string, usual: boolean): boolean {
    if (!this.has(path)) return usual;
    const value = readSwitch(this.value(path));
    if (value === undefined) {
      this.refuse(displayName, 'is neither true nor false', `Switch "${displayName}" on or off.`);
    }
    return value ?? usual;
  }

  /** The keys of a list of outcomes; undefined for another value. A word for every outcome is a mistake. */
  outcomes(path: string, displayName: string, value = this.value(path)): string[] | undefined {
    const keys = readOutcomeList(value);
    const word = wildcardIn(keys ?? []);
    if (word !== undefined) {
      const advice = 'Enter each outcome by its label or key.';
      this.refuse(displayName, `name "${word}", which is no outcome`, advice);
    }
    return keys;
  }

  /** One of several values; `usual` when the person has not added it. */
  choice<Value extends string>(
    path: string,
    displayName: string,
    values: readonly Value[],
    usual: Value,
  ): Value {
    if (!this.has(path)) return usual;
    const given = this.value(path);
    const value = values.find((one) => one === given);
    if (value === undefined) this.refuse(displayName, `is none of ${values.join(', ')}`);
    return value ?? usual;
  }

  /** A number within bounds; `usual` when the person has not added it. */
  number(path: string, displayName: string, bounds: Bounds, usual: number): number {
    if (!this.has(path)) return usual;
    const value = readNumber(this.value(path), bounds);
    if (value === undefined) this.refuse(displayName, `is not ${boundsInWords(bounds)}`);
    return value ?? usual;
  }
}
