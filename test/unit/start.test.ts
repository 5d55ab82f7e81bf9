import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallResult } from '../../scripts/start/following';
import { UsageError, readOptions } from '../../scripts/start/options';
import { madeUpOrders, readOrders } from '../../scripts/start/orders';
import { callsLine, outcomesLine } from '../../scripts/start/report';
import { PAGES, inlineCodeOf } from '../documents';

const ORDER = {
  ...{ orderNumber: '1042', customerName: 'Ann', phone: '+12025550114' },
  ...{ amount: '12.50', brand: 'Acme', notes: '' },
};

describe('the n8n that npm start runs', () => {
  it.each([
    ['newest', []],
    ['reference', ['--n8n', 'reference']],
  ])('is the %s one with the options %j', (release, args) => {
    expect(readOptions(args, {})).toMatchObject({ release });
  });

  it('is not n8n 1, which lacks the data tables of the example', () => {
    expect(() => readOptions(['--n8n', 'n8n 1'], {})).toThrow(UsageError);
  });
});

describe('a file of orders', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'orders-'));
  });
  afterEach(async () => await rm(directory, { recursive: true }));

  async function read(name: string, text: string) {
    const file = join(directory, name);
    await writeFile(file, text);
    return await readOrders(file);
  }

  it.each([
    [
      'orders.csv',
      'ORDERNUMBER, Phone,customername,amount,Brand\n1042,+12025550114,Ann,12.50,Acme\n',
    ],
    [
      'orders.json',
      '[{"OrderNumber":1042,"PHONE":"+12025550114","customerName":"Ann","amount":"12.50","brand":"Acme"}]',
    ],
  ])('may write its headers in any capitals: %s', async (name, text) => {
    expect(await read(name, text)).toEqual([ORDER]);
  });

  it('is refused with the names of its columns when it lacks one', async () => {
    await expect(read('orders.csv', 'Order,phone,amount\n1042,+12025550114,5\n')).rejects.toThrow(
      /^Nobody was called\. .* has no column orderNumber\.\n.*are: Order, phone, amount\n.*have: orderNumber, customerName, phone/,
    );
  });
});

describe('a file of orders with two columns of one name', () => {
  it.each([
    ['orders.csv', 'orderNumber,phone,Phone\n1042,+12025550114,+12025550115\n'],
    ['orders.json', '[{"orderNumber":1042,"phone":"+12025550114","Phone":"+12025550115"}]'],
  ])('is refused: %s', async (name, text) => {
    const directory = await mkdtemp(join(tmpdir(), 'orders-'));
    const file = join(directory, name);
    await writeFile(file, text);
    await expect(readOrders(file)).rejects.toThrow(/^Nobody was called\. .* named phone\.$/);
    await rm(directory, { recursive: true });
  });
});

describe('the options of npm start', () => {
  const shown = PAGES.flatMap(inlineCodeOf).filter((code) => code.startsWith('npm start -- '));

  it.each(shown)('are as a page shows them: %s', (command) => {
    const options = readOptions(command.split(' ').slice(3), {});
    expect(options).not.toEqual(readOptions([], {}));
  });

  const REAL = {
    OUTBOUND_AI_CALLING_BASE_URL: 'https://calls.example.com',
    OUTBOUND_AI_CALLING_API_KEY: 'key',
  };

  it('ask for the script and the time zone when real people are called', () => {
    const asked = ['--script', '4821', '--timezone', 'Asia/Kolkata'];
    expect(readOptions(asked, REAL).real).toEqual({
      service: { baseUrl: 'https://calls.example.com', apiKey: 'key' },
      scriptId: 4821,
      timezone: expect.stringMatching(/^Asia\/(Kolkata|Calcutta)$/),
    });
    expect(() => readOptions([], REAL)).toThrow('needs --script');
    expect(() => readOptions(asked.slice(2), REAL)).toThrow('needs --script');
    expect(() => readOptions(asked.slice(0, 2), REAL)).toThrow('needs --timezone');
    for (const wrong of ['0', '-1', '1.5', 'mine', '']) {
      expect(() => readOptions(['--script', wrong, '--timezone', 'UTC'], REAL)).toThrow(/script/);
    }
    expect(() => readOptions(['--script', '1', '--timezone', 'Berlin'], REAL)).toThrow('timezone');
  });

  it('ask for neither with the emulated service, and refuse them', () => {
    expect(readOptions([], {}).real).toBeUndefined();
    expect(() => readOptions(['--script', '12'], {})).toThrow('are for a real service');
  });
});

describe('the last lines of npm start', () => {
  const [one, two] = madeUpOrders(2) as [CallResult['order'], CallResult['order']];
  const result = (order: CallResult['order'], placed: boolean[], received = true): CallResult => ({
    ...{ order, phone: order.phone, received, logged: true, decision: '', reason: '' },
    attempts: placed.map((isPlaced, index) => ({
      ...{ number: index + 1, placed: isPlaced, outcome: '', summary: '' },
    })),
  });

  it('count the calls, the orders and their outcomes', () => {
    const results = [result(one, [true, true]), result(two, [true])];
    expect(callsLine(results)).toBe('3 calls placed for 2 orders, 1 of which was called again');
    expect(outcomesLine(results)).toBe('2 of 2 orders have their outcome');
  });

  it('count no call that was not placed', () => {
    const results = [result(one, [true, false], false), result(two, [], false)];
    expect(callsLine(results)).toBe('1 call placed for 1 order');
    expect(outcomesLine(results)).toBe('0 of 2 orders have their outcome');
  });
});
