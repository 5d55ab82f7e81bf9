import { join } from 'node:path';
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/** Where the nodes' source lies, and its files that all folders but `http` may import. */
const SOURCE = join(import.meta.dirname, 'nodes', 'OutboundAiCalling');
const SHARED_FILES = [
  './alike.ts',
  './brokenCell.ts',
  './brokenLetters.ts',
  './clocks.ts',
  './collections.ts',
  './eventLoopSlices.ts',
  './fields.ts',
  './gathering.ts',
  './hints.ts',
  './nodeError.ts',
  './objections.ts',
  './outcomeItem.ts',
  './placedCalls.ts',
  './presentation.ts',
  './settingsReader.ts',
  './stopwatch.ts',
  './values.ts',
  './withoutKeys.ts',
];

/** Folders from the bottom up: each imports from its own layer and from those below it only. */
const LAYERS = [
  ['./http'],
  ['./service'],
  ['./contacts', './dataTables'],
  ['./callLog'],
  ['./rules'],
  ['./trigger'],
  ['./methods', './actions'],
];

const importsGoOneWay = {
  basePath: SOURCE,
  zones: [
    ...LAYERS.map((folders, layer) => ({
      target: folders,
      from: '.',
      except: [...LAYERS.slice(0, layer + 1).flat(), ...(layer < 1 ? [] : SHARED_FILES)],
      message:
        'Imports go one way: nodes, then methods and actions, trigger, rules, callLog, then contacts and dataTables, service, http.',
    })),
    {
      target: SHARED_FILES,
      from: '.',
      except: ['./http', './service', ...SHARED_FILES],
      message: 'What all folders import does not import from them.',
    },
    { target: './placedCalls.ts', from: '.', message: 'It imports nothing.' },
  ],
};

/**
 * The rules of this project. n8n's own stand in `eslint.config.mjs`, which n8n demands to the letter;
 * `npm run lint` checks both.
 */
export default defineConfig(
  globalIgnores(['dist', '.stryker-tmp']),
  {
    files: ['**/*.ts'],
    extends: [
      js.configs.recommended,
      tseslint.configs.recommended,
      importX.flatConfigs.recommended,
      importX.flatConfigs.typescript,
    ],
    settings: { 'import-x/resolver-next': [createTypeScriptImportResolver()] },
    rules: {
      'prefer-spread': 'off',
      'no-console': 'error',
      'import-x/no-named-as-default': 'off',
      'import-x/no-named-as-default-member': 'off',
      '@typescript-eslint/no-explicit-any': 'error',
    },
  },
  {
    files: ['nodes/**/*.ts'],
    rules: {
      'import-x/no-restricted-paths': ['error', importsGoOneWay],
      'import-x/no-cycle': 'error',
    },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/generators.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'fast-check',
          message: 'Import fc from test/generators.ts, which draws from SEED.',
        },
      ],
    },
  },
  {
    // The command line programs of the project talk to a terminal.
    files: ['scripts/**/*.ts', 'test/service/main.ts', 'test/bench/main.ts'],
    rules: { 'no-console': 'off' },
  },
);
