import * as crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import * as n8nWorkflow from 'n8n-workflow';
import type { INodeType } from 'n8n-workflow';
import type { OutboundAiCallingApi } from '../../../credentials/OutboundAiCallingApi.credentials';
import { AbortControllerOfWorld, abortSignalsOf } from './abortSignals';

const ROOT = join(__dirname, '..', '..', '..');
const SOURCE = join(ROOT, 'nodes', 'OutboundAiCalling');

/** A law of the product that is switched off in one place of its source. */
export interface Mutation {
  /** From `nodes/OutboundAiCalling`. */
  file: string;
  /** Stands once in the file. */
  from: string;
  to: string;
}

/** What the product takes from its surroundings and the world decides. */
export interface Surroundings {
  /** Milliseconds since 1970, by a clock that a person may set. */
  now(): number;
  /** Milliseconds by a clock that nobody sets. */
  passed(): number;
  /** From 0 (included) to 1 (excluded). */
  random(): number;
  after(ms: number, act: () => void): void;
  randomUUID(): string;
  /** As Node's: the smallest number, 0 when left out, and the one above the largest. */
  randomInt(first: number, second?: number): number;
}

/** The package as one process of n8n has loaded it. */
export interface LoadedPackage {
  action: INodeType;
  trigger: INodeType;
  credential: OutboundAiCallingApi;
}

const ENTRY = `
export { OutboundAiCalling } from './nodes/OutboundAiCalling/OutboundAiCalling.node';
export { OutboundAiCallingTrigger } from './nodes/OutboundAiCalling/OutboundAiCallingTrigger.node';
export { OutboundAiCallingApi } from './credentials/OutboundAiCallingApi.credentials';
`;
/** What modules begin with that changes: empty lists and maps, limits, switches. */
const STATE =
  /^var (\w+)(?: = ((?:\/\* @__PURE__ \*\/ )?new \w+\(\)|pLimit\d*\(\d+\)|true|false|null|\d+))?;$/gm;
/** Modules that only remember what they have worked out, which is the same in every history. */
const REMEMBERING =
  /^\/\/ nodes\/OutboundAiCalling\/(alike|clocks|contacts\/(countries|numberingPlan)|http\/redaction|rules\/customersTimezones|service\/account(Fingerprint)?)\.ts/;
/** Libraries without a state of their own: all processes share them. */
const SHARED = ['libphonenumber-js/*', 'csv-parse/*'];
const GIVEN = [
  'module',
  'require',
  'Date',
  'performance',
  'Math',
  'AbortController',
  'AbortSignal',
  'Intl',
];

const requireHere = createRequire(join(ROOT, 'package.json'));

/** Formats are dear to make, and the same for everybody. */
function rememberingIntl(): typeof Intl {
  const made = new Map<string, Intl.DateTimeFormat>();
  function DateTimeFormat(locale?: string, options?: Intl.DateTimeFormatOptions) {
    const key = JSON.stringify([locale, options]);
    const format = made.get(key) ?? new Intl.DateTimeFormat(locale, options);
    made.set(key, format);
    return format;
  }
  return Object.create(Intl, { DateTimeFormat: { value: DateTimeFormat } }) as typeof Intl;
}

/** Has a file of the source say something else. */
function mutating({ file, from, to }: Mutation): Plugin {
  const path = join(SOURCE, file);
  const parts = readFileSync(path, 'utf8').split(from);
  if (parts.length !== 2) {
    throw new Error(`"${from}" stands ${parts.length - 1} times in ${file}, not once`);
  }
  return {
    name: 'mutating',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, (loading) =>
        loading.path === path ? { contents: parts.join(to), loader: 'ts' } : undefined,
      );
    },
  };
}

/** A package that was evaluated once: code that has run before runs many times quicker. */
interface Evaluated {
  loaded: LoadedPackage;
  /** Has all modules begin again, in these surroundings. */
  begin(surroundings: Surroundings): void;
}

type Evaluate = (...given: unknown[]) => void;

/** The package as text, which every process of n8n has by itself. */
export class PackageText {
  private readonly free: Evaluated[] = [];

  private constructor(private readonly evaluate: Evaluate) {}

  /** Bundles the source as the build does, but for the libraries that have no state of their own. */
  static async bundle(mutation?: Mutation): Promise<PackageText> {
    const { outputFiles } = await build({
      stdin: { contents: ENTRY, resolveDir: ROOT, loader: 'ts' },
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      mainFields: ['module', 'main'],
      charset: 'utf8',
      write: false,
      external: ['n8n-workflow', ...SHARED],
      plugins: mutation === undefined ? [] : [mutating(mutation)],
    });
    const text = outputFiles[0]?.text ?? '';
    // Each module of the bundle begins with its path.
    const states = text
      .split(/^(?=\/\/ \w+\/)/m)
      .filter((module) => !REMEMBERING.test(module))
      .flatMap((module) => [...module.matchAll(STATE)])
      .map(([, name, value]) => `${name} = ${value};`);
    const reset = `module.reset = () => { ${states.join(' ')} };`;
    return new PackageText(
      new Function(...GIVEN, `${text}\n${reset}\n//# sourceURL=package.js`) as Evaluate,
    );
  }

  /**
   * Loads the package into these surroundings, with modules that nobody else has.
   *
   * @returns the package, and what gives its modules to others when nothing of it runs any more
   */
  load(surroundings: Surroundings): { loaded: LoadedPackage; giveBack: () => void } {
    const evaluated = this.free.pop() ?? this.evaluated(surroundings);
    evaluated.begin(surroundings);
    return { loaded: evaluated.loaded, giveBack: () => this.free.push(evaluated) };
  }

  private evaluated(around: Surroundings): Evaluated {
    const sleep = async (ms: number) =>
      await new Promise<void>((resolve) => around.after(ms, resolve));
    const replaced: Record<string, unknown> = {
      'n8n-workflow': { ...n8nWorkflow, sleep },
      crypto: {
        ...crypto,
        randomUUID: () => around.randomUUID(),
        randomInt: (first: number, second?: number) => around.randomInt(first, second),
      },
    };
    const module = { exports: {} as Record<string, new () => object>, reset: () => {} };
    this.evaluate(
      module,
      (name: string): unknown => replaced[name] ?? shared(name),
      dateOf(() => around.now()),
      { now: () => around.passed() },
      Object.create(Math, { random: { value: () => around.random() } }),
      AbortControllerOfWorld,
      abortSignalsOf((ms, act) => around.after(ms, act)),
      INTL,
    );
    const made = (name: string): object => new (module.exports[name] as new () => object)();
    const loaded = {
      action: made('OutboundAiCalling') as INodeType,
      trigger: made('OutboundAiCallingTrigger') as INodeType,
      credential: made('OutboundAiCallingApi') as OutboundAiCallingApi,
    };
    const begin = (surroundings: Surroundings) => {
      around = surroundings;
      module.reset();
    };
    return { loaded, begin };
  }
}

function dateOf(now: () => number): DateConstructor {
  class VirtualDate extends Date {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(now());
      else super(...(given as [number]));
    }

    static override now(): number {
      return now();
    }
  }
  return VirtualDate as DateConstructor;
}

const INTL = rememberingIntl();
const modules = new Map<string, unknown>();

function shared(name: string): unknown {
  if (!modules.has(name)) modules.set(name, requireHere(name));
  return modules.get(name);
}
