import { alike } from '../../nodes/OutboundAiCalling/alike';
import { bareOrderNumber } from '../../nodes/OutboundAiCalling/contacts/orderNumber';
import { readPhoneNumber } from '../../nodes/OutboundAiCalling/contacts/phoneNumber';
import { outcomeKey } from '../../nodes/OutboundAiCalling/service/outcome';
import { showsSignsOfProcessing } from '../../nodes/OutboundAiCalling/service/signs';
import {
  objectionToCustomerName,
  objectionToOrderNumber,
} from '../../nodes/OutboundAiCalling/objections';
import { readList } from '../../nodes/OutboundAiCalling/values';

const LENGTH = 100_000;
const SHORTER = 10;
/** What grows with the square of the length takes a hundred times as long. */
const MOST_TIMES = 3 * SHORTER;
/** Too little of the processor's time to be compared. */
const LEAST_MICROSECONDS = 10_000;
const REPEATED = [
  '{',
  '{{',
  '{{a ',
  '{{}',
  '}',
  ' ',
  '\t',
  ' .',
  '!',
  '-',
  'a ',
  'a.',
  '1-',
  '1, ',
  '"',
];

/** What reading a text costs the processor, in microseconds. */
function costOf(read: (text: string) => unknown, repeated: string, length: number): number {
  const text = `a${repeated.repeat(length / repeated.length)}z`;
  const before = process.cpuUsage();
  read(text);
  return process.cpuUsage(before).user;
}

describe('a text of 100,000 characters', () => {
  it.each<[string, (text: string) => unknown]>([
    ['an order number', objectionToOrderNumber],
    ['a customer name', objectionToCustomerName],
    ['the key of an order', bareOrderNumber],
    ['the name of a column', alike],
    ['a phone number', (text) => readPhoneNumber(text, 'DE')],
    ['a label', outcomeKey],
    ['a list', readList],
    ['the answer to a call', (message) => showsSignsOfProcessing({ message }, 'trigger')],
    ['the answer to a start', (message) => showsSignsOfProcessing({ message }, 'start')],
  ])('is read in proportion to its length as %s', (_, read) => {
    for (const repeated of REPEATED) {
      const short = Math.max(LEAST_MICROSECONDS, costOf(read, repeated, LENGTH / SHORTER));
      const isInProportion = costOf(read, repeated, LENGTH) < MOST_TIMES * short;
      expect([repeated, isInProportion]).toEqual([repeated, true]);
    }
  });
});

describe('an expression that n8n did not evaluate', () => {
  it.each(['{{ $json.no }}', '{{$json.no', 'A-{{ {a: $now}', '{{ 1 }} {{ $json.a', '{{{$json.a'])(
    'is found in %p',
    (text) => expect(objectionToOrderNumber(text)).toContain('did not evaluate'),
  );

  it.each(['{ $5 }', '$5 {{', '{{ a } $5', '{ { $5'])('is none in %p', (text) =>
    expect(objectionToOrderNumber(text)).toBeUndefined(),
  );
});
