import { readOutcome } from '../../nodes/OutboundAiCalling/service/outcome';
import { readingAsInRow } from '../../nodes/OutboundAiCalling/service/readingAsInRow';

const BODY = { success: true, orderId: 7, callStatus: 'completed', callOutcome: 'no_answer' };
const transcript = [{ speaker: 'agent', text: 'Good morning' }];
const read = (more: object = {}) => {
  const body = { ...BODY, transcript, ...more };
  return { finished: true, result: readOutcome(body, 7), body } as const;
};

describe('a reading of the service', () => {
  it('is given as it came when the row says the same', () => {
    const reading = read();
    expect(readingAsInRow(reading, reading.result).body).toBe(reading.body);
  });

  it('has the outcome of the row, and of the service only the conversation, also in its body', () => {
    const inRow = readOutcome({ ...BODY, callOutcome: 'Order confirmed' }, 7);
    const { result, body } = readingAsInRow(read(), inRow);
    expect(result).toMatchObject({ callOutcome: 'Order confirmed', outcomeKey: 'order_confirmed' });
    expect(result.transcript).toEqual(read().result.transcript);
    expect(body).toMatchObject({ success: true, orderId: 7, callOutcome: 'Order confirmed' });
    expect(body.transcript).toEqual(result.transcript);
  });
});
