import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { readCommandLine, UsageError } from '../../service/commandLine';
import { endAll, start } from './client';

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await endAll();
});

const PROJECT = join(__dirname, '../../..');

function service(...args: string[]) {
  // Without the command of tsx, which on a busy machine ends before its child does.
  const command = ['--import', 'tsx', 'test/service/main.ts', ...args];
  const child = spawn(process.execPath, command, { cwd: PROJECT });
  children.push(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (text: Buffer) => (said.out += text.toString()));
  child.stderr.on('data', (text: Buffer) => (said.err += text.toString()));
  return { child, said };
}

test('arguments are read, and have sensible defaults', () => {
  expect(readCommandLine([])).toEqual({
    port: 4010,
    apiKeys: ['test-key'],
    seed: 1,
    callSeconds: { min: 15, max: 60 },
    speed: 1,
    switches: {},
  });
  const args = '--port 0 --seed 3 --speed 2.5 --call-seconds 1-2 --api-key a --api-key b';
  const switches = '--switch stop=refused --switch ids=string';
  expect(readCommandLine(`${args} ${switches}`.split(' '))).toEqual({
    port: 0,
    apiKeys: ['a', 'b'],
    seed: 3,
    callSeconds: { min: 1, max: 2 },
    speed: 2.5,
    switches: { stop: 'refused', ids: 'string' },
  });
  expect(readCommandLine(['--help'])).toBe('help');
});

test.each([
  ['--port x'],
  ['--port 70000'],
  ['--port 1.5'],
  ['--seed -1'],
  ['--speed 0'],
  ['--speed fast'],
  ['--call-seconds 60-15'],
  ['--call-seconds 5'],
  ['--call-seconds 1-2-3'],
  ['--switch stop=maybe'],
  ['--switch nothing=1'],
  ['--switch __proto__=1'],
  ['--unknown'],
  ['surplus'],
])('%s is refused', (args) => {
  expect(() => readCommandLine(args.split(' '))).toThrow(UsageError);
});

test('the command says where it answers, answers there, and ends on Ctrl-C', async () => {
  const { child, said } = service('--port', '0', '--api-key', 'abc');
  while (!said.out.includes('Ctrl-C')) await once(child.stdout, 'data');
  const [baseUrl = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said.out) ?? [];
  const headers = { 'x-api-key': 'abc' };
  expect((await fetch(`${baseUrl}/api/v1/orders/1/outcome`, { headers })).status).toBe(404);
  expect(said.out).toContain('abc');
  expect(said.out).toContain('brand_name, order_amount');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('the command ends with 2 and says why when an argument makes no sense', async () => {
  const { child, said } = service('--speed', '0');
  expect(await once(child, 'close')).toEqual([2, null]);
  expect(said.err).toContain('--speed takes a number above 0');
});

test('a port that is taken is told plainly', async () => {
  const { port } = await start();
  await expect(start({ port })).rejects.toThrow(`Port ${port} is taken`);
  const { child, said } = service('--port', String(port));
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said.err.trim()).toBe(`Port ${port} is taken`);
});
