import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { NumberField } from '../fields';
import type { Mistake } from '../nodeError';
import { isManualExecution } from '../rules/manualExecutions';
import { readIdentifier } from '../service/identifier';
import { isRecord, textOf } from '../http/json';
import { SettingsReader } from '../settingsReader';
import { tellsNothingApart } from '../objections';
import { isBlank, isEmpty, type Bounds } from '../values';
import { isTool } from './execution';
import type { NodeParameters } from './nodeParameters';

/** Parameters that name one order, person, call or campaign; see {@link NodeParameters.identifying}. */
const IDENTIFYING = new Set([
  'customerPhone',
  'contactPhone',
  'additionalFields.orderNumber',
  'contactFields.orderNumber',
  'rules.duplicateKey',
  'cancelValue',
  'campaignName',
  'rules.testPhone',
]);
/** Parameters that name many people; see {@link NodeParameters.identifyingMany}. */
const IDENTIFYING_MANY = new Set(['contactsJson', 'csvText']);

/** Splits the path of an entry, e.g. `options.maxCalls`. A parameter of the panel has no collection. */
function partsOf(path: string): { collection?: string; name: string } {
  const end = path.lastIndexOf('.');
  if (end === -1) return { name: path };
  return { collection: path.slice(0, end), name: path.slice(end + 1) };
}

/** Reads one item, and collects all its mistakes. What stands in after a mistake is never sent. */
export class ItemParameters extends SettingsReader {
  readonly mistakes: Mistake[] = [];

  private readonly resolved = new Map<string, unknown>();
  private readonly identifying = new Map<string, unknown>();
  /** Why entries of a collection cannot be resolved; a mistake once the entry is read. */
  private readonly unresolved = new Map<string, unknown>();
  private readonly failed = new Set<string>();

  constructor(
    private readonly parameters: NodeParameters,
    readonly itemIndex: number,
  ) {
    super();
  }

  get context(): IExecuteFunctions {
    return this.parameters.context;
  }

  /** The time zone of the workflow: an IANA name. */
  get workflowTimezone(): string {
    return this.context.getTimezone();
  }

  /** The item's index plus the number of the round: in a loop, each round may have one item only. */
  get turn(): number {
    return Number(this.context.getWorkflowDataProxy(0).$runIndex) + this.itemIndex;
  }

  get isManual(): boolean {
    return isManualExecution(this.context);
  }

  /** Whether a parameter is left empty; not when its expression gives nothing: a mistake. */
  isLeftEmpty(name: string): boolean {
    return !this.isExpression(name) && isBlank(this.value(name));
  }

  isExpression(path: string): boolean {
    return this.parameters.isExpression(path);
  }

  dependsOnItem(path: string): boolean {
    return this.parameters.dependsOnItem(path);
  }

  ofItem(itemIndex: number): ItemParameters {
    return new ItemParameters(this.parameters, itemIndex);
  }

  refuse(parameter: string, message: string, advice?: string): void {
    this.mistakes.push({ parameter, message, advice });
  }

  /** A parameter or an entry (`options.maxCalls`) for this item; undefined without it, or when its expression fails. */
  value(path: string): unknown {
    const value = this.identified(path);
    this.parameters.noteGiven(path, value);
    return value;
  }

  private identified(path: string): unknown {
    if (IDENTIFYING_MANY.has(path)) {
      return this.parameters.identifyingMany(path, this.given(path), this.itemIndex);
    }
    if (!IDENTIFYING.has(path)) return this.given(path);
    if (!this.identifying.has(path)) {
      const value = this.parameters.identifying(path, this.given(path), this.itemIndex);
      // An AI agent writes `null` or `N/A` for an order number that it does not know.
      const isNone = isTool(this.context) && typeof value === 'string';
      this.identifying.set(path, isNone && tellsNothingApart(value) ? undefined : value);
    }
    return this.identifying.get(path);
  }

  private given(path: string): unknown {
    const { collection, name } = partsOf(path);
    if (collection === undefined) return this.parameter(name);
    const value = this.collection(collection)?.[name];
    if (this.unresolved.has(path)) this.refuseUnresolved(path, this.unresolved.get(path));
    return value;
  }

  /** A parameter that has to be there; undefined after a mistake. The panel alone has a default for it. */
  required(name: string, displayName: string): unknown {
    const value = this.value(name);
    if (!isBlank(value)) return value;
    const isNothing = this.isExpression(name);
    const message = isNothing ? 'has an expression that gives nothing' : 'is empty';
    if (!this.failed.has(name)) {
      this.refuse(displayName, message, isNothing ? 'Check the name of its field.' : undefined);
    }
    return undefined;
  }

  /** Whether the person has added the parameter or the entry of a collection. */
  has(path: string): boolean {
    const { collection, name } = partsOf(path);
    if (collection !== undefined) return name in (this.collection(collection) ?? {});
    this.parameter(name);
    return this.parameters.isGiven(name) && !this.failed.has(name);
  }

  /** The entries of a collection. Any other value is a mistake, not an empty collection. */
  private collection(path: string): IDataObject | undefined {
    const value = this.value(path);
    if (isRecord(value)) return value;
    const isAbsent = value === null || value === undefined;
    if (this.has(path) && !this.failed.has(path)) {
      this.failed.add(path);
      this.refuse(`"${path}"`, `is ${isAbsent ? 'empty' : 'no collection of settings'}`);
    }
    return undefined;
  }

  private parameter(name: string): unknown {
    if (!this.resolved.has(name)) this.resolved.set(name, this.resolve(name));
    return this.resolved.get(name);
  }

  private resolve(name: string): unknown {
    try {
      return this.parameters.value(name, this.itemIndex);
    } catch (error) {
      const entries = this.parameters.entries(name, this.itemIndex);
      if (entries === undefined) this.refuseUnresolved(name, error);
      for (const [entry, why] of entries?.errors ?? [])
        this.unresolved.set(`${name}.${entry}`, why);
      return entries?.values;
    }
  }

  private refuseUnresolved(path: string, error: unknown): void {
    if (this.failed.has(path)) return;
    this.failed.add(path);
    this.refuse(`"${path}"`, error instanceof Error ? error.message : 'cannot be evaluated');
  }

  /** Reads a number among the options, under the name and with the default that its field shows. */
  numberOption({ name, displayName, default: usual }: NumberField, bounds: Bounds): number {
    return this.number(`options.${name}`, displayName, bounds, usual);
  }

  /** A positive whole number, used as an id. */
  identifier(name: string, displayName: string): number {
    const value = this.value(name);
    const id = readIdentifier(value);
    if (id !== undefined) return id;
    const isMissing = isEmpty(value) || value === 0;
    const message = isMissing ? 'is missing' : 'is not a positive whole number';
    this.refuse(displayName, message, 'Enter the number as the service gave it, e.g. 4821.');
    return 0;
  }

  /** Names and values that were added by hand in a fixed collection. */
  pairs(name: string, displayName: string): Array<[string, unknown]> {
    if (!this.has(name)) return [];
    const entries = this.value(name);
    if (!Array.isArray(entries) || !entries.every(isRecord)) {
      this.refuse(displayName, 'is no list of names and values');
      return [];
    }
    return entries.map((entry) => {
      const key = textOf(entry.name)?.trim() ?? '';
      if (key === '') this.refuse(displayName, 'has an entry without a name');
      return [key, entry.value];
    });
  }
}
