import * as crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import * as n8nWorkflow from 'n8n-workflow';
import type { INodeType } from 'n8n-workflow';
import type { OutboundAiCallingApi } from '../../../credentials/OutboundAiCallingApi.credentials';

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
  Date: DateConstructor;
  performance: { now(): number };
  Math: Math;
  AbortSignal: Pick<typeof AbortSignal, 'any' | 'timeout'>;
  sleep(ms: number): Promise<void>;
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
/** Libraries without a state of their own: all processes share them. */
const SHARED = ['libphonenumber-js/*', 'csv-parse/*'];
const GIVEN = ['module', 'require', 'Date', 'performance', 'Math', 'AbortSignal', 'Intl'];

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

type Evaluate = (...given: unknown[]) => void;

/** The package as text, which every process of n8n evaluates by itself. */
export class PackageText {
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
    const text = `${outputFiles[0]?.text}\n//# sourceURL=package.js`;
    return new PackageText(new Function(...GIVEN, text) as Evaluate);
  }

  /** Loads the package with modules of its own, into these surroundings. */
  load({ sleep, randomUUID, randomInt, ...given }: Surroundings): LoadedPackage {
    const replaced: Record<string, unknown> = {
      'n8n-workflow': { ...n8nWorkflow, sleep },
      crypto: { ...crypto, randomUUID, randomInt },
    };
    const module: { exports: Record<string, new () => object> } = { exports: {} };
    const require = (name: string): unknown => replaced[name] ?? shared(name);
    this.evaluate(
      module,
      require,
      given.Date,
      given.performance,
      given.Math,
      given.AbortSignal,
      INTL,
    );
    const made = (name: string): object => new (module.exports[name] as new () => object)();
    return {
      action: made('OutboundAiCalling') as INodeType,
      trigger: made('OutboundAiCallingTrigger') as INodeType,
      credential: made('OutboundAiCallingApi') as OutboundAiCallingApi,
    };
  }
}

const INTL = rememberingIntl();
const modules = new Map<string, unknown>();

function shared(name: string): unknown {
  if (!modules.has(name)) modules.set(name, requireHere(name));
  return modules.get(name);
}
