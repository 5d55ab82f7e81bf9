import { alike, bareOrderNumber } from '../../nodes/OutboundAiCalling/contacts/orderNumber';
import { readPhoneNumber } from '../../nodes/OutboundAiCalling/contacts/phoneNumber';
import { outcomeKey } from '../../nodes/OutboundAiCalling/service/outcome';
import { showsSignsOfProcessing } from '../../nodes/OutboundAiCalling/service/signs';
import {
  objectionToCustomerName,
  objectionToOrderNumber,
  readList,
} from '../../nodes/OutboundAiCalling/values';

const LENGTH = 100_000;
/** Of the processor, however busy it is: what grows with the square of the length needs many times as long. */
const MOST_MICROSECONDS = 1_000_000;
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
  ])('is read in a moment as %s', (_, read) => {
    for (const repeated of REPEATED) {
      const text = `a${repeated.repeat(LENGTH / repeated.length)}z`;
      const before = process.cpuUsage();
      read(text);
      expect([repeated, process.cpuUsage(before).user < MOST_MICROSECONDS]).toEqual([
        repeated,
        true,
      ]);
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
