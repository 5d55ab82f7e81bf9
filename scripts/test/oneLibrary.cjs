/**
 * Tests that load this package anew, as another process has it, share n8n's library of workflows:
 * it remembers nothing of calls, and to load it takes ten times as long as to load the package.
 */
const LOADED = Symbol.for('n8n-workflow');

jest.mock('n8n-workflow', () => (globalThis[LOADED] ??= jest.requireActual('n8n-workflow')));
