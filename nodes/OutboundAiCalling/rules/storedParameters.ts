import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../http/json';
import { SettingsReader } from '../settingsReader';
import type { RuleParameters } from './rule';

/** Where a call was set up. Rules need it in addition to their own settings. */
export interface Locality {
  /** Two letters: the country of do-not-call numbers without a country code. */
  defaultCountry?: string;
  /** The time zone of the workflow that set the call up: an IANA name. */
  timezone: string;
}

/** Lets rules read the settings stored with a scheduled call, long after its workflow has run. */
export class StoredParameters extends SettingsReader implements RuleParameters {
  /** A manual execution chose what to do when it scheduled the call. */
  readonly isManual = false;
  readonly workflowTimezone: string;
  readonly isDue: boolean;
  private readonly settings: Record<string, unknown>;

  /**
   * @param rules the entries of "Rules" as n8n resolved them, and as JSON can hold them
   * @param isDue whether the call is to be placed now, or is being scheduled
   */
  constructor(
    rules: IDataObject,
    { defaultCountry, timezone }: Locality,
    readonly refuse: SettingsReader['refuse'],
    { isDue }: { isDue: boolean },
  ) {
    super();
    this.isDue = isDue;
    this.workflowTimezone = timezone;
    this.settings = {
      rules,
      options: { defaultCountry },
      // Every scheduled call is in a call log.
      callLog: 'dataTable',
    };
  }

  has(path: string): boolean {
    return this.value(path) !== undefined;
  }

  value(path: string): unknown {
    return path
      .split('.')
      .reduce<unknown>(
        (value, entry) => (isRecord(value) ? value[entry] : undefined),
        this.settings,
      );
  }
}
