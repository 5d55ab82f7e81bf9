import {
  callStatusOf,
  labelOfEnd,
  mayBeFinal,
  mayHaveTalked,
  outcomeKey,
  readOutcome,
  showsEnd,
} from '../../nodes/OutboundAiCalling/service/outcome';
import { readTranscript, transcriptText } from '../../nodes/OutboundAiCalling/service/transcript';
import { fc } from '../generators';

const turns = (...times: unknown[]) =>
  times.map((timestamp, index) => ({
    speaker: index % 2 === 0 ? 'agent' : 'customer',
    text: 'Hello',
    timestamp,
  }));
const offsets = (transcript: unknown, seconds: number | null) =>
  readTranscript(transcript, seconds).map(({ offsetSec }) => offsetSec);

describe('an outcome label', () => {
  it.each([
    ['Order confirmed', 'order_confirmed'],
    ['ORDER CONFIRMED', 'order_confirmed'],
    ['no_answer', 'no_answer'],
    ['  Not-Interested! ', 'not_interested'],
    ['Call - back', 'call_back'],
    ['1\ufe0f\u20e3 Confirmed', '1_confirmed'],
    ['Заказ подтверждён', 'заказ_подтверждён'],
    ['मना', 'मना'],
    ['माना किया', 'माना_किया'],
    ['Confirme\u0301', 'confirmé'],
    ['ＳＴＯＰ', 'stop'],
    ['✅', '✅'],
    ['✅\ufe0f', '✅'],
    ['❌ Refused', 'refused'],
    ['İptal edildi', 'iptal_edildi'],
    [' ', ''],
  ])('%p has the key %p', (label, key) => expect(outcomeKey(label)).toBe(key));

  it('has the same key however it is capitalised', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (label) => {
        expect(outcomeKey(label.toUpperCase())).toBe(outcomeKey(label.toLowerCase()));
      }),
    );
  });
});

describe('the times of a transcript', () => {
  it('are seconds when they fit into the call', () => {
    expect(offsets(turns(0, 3.5, 38), 40)).toEqual([0, 3.5, 38]);
    expect(offsets(turns(0, 2), 40)).toEqual([0, 2]);
  });
  it('are milliseconds when one lies far beyond the call in seconds', () => {
    expect(offsets(turns(0, 3500, 38_000), 40)).toEqual([0, 3.5, 38]);
    expect(offsets(turns(400), 40)).toEqual([0.4]);
  });
  it('are seconds where the length is only rounded down', () => {
    expect(offsets(turns(0, 49.9, 58.6), 58)).toEqual([0, 49.9, 58.6]);
  });
  it.each<[string, unknown[], number | null]>([
    ['the service gives no length', turns(0, 12, 35), null],
    ['the length is none', turns(0, 12), 0],
    ['seconds go a little beyond the length', turns(0, 4, 11, 19, 32), 30],
    ['seconds count from before the call was put through', turns(10, 14, 22, 29), 20],
    ['seconds count from long before it was put through', turns(140, 141, 143), 3],
    ['they count from another time', turns(1_893_456_000_000, 1_893_456_030_000), 40],
  ])('are left out where nothing tells their unit: %s', (_why, transcript, seconds) => {
    for (const turn of readTranscript(transcript, seconds)) {
      expect(turn).not.toHaveProperty('offsetSec');
    }
  });
  it('are left out where the service gave none', () => {
    const none = undefined;
    const given = turns(0, null, '', 'x', undefined, 28);
    expect(offsets(given, 40)).toEqual([0, none, none, none, none, 28]);
  });

  /** Times of a call of so many seconds; its last turn may be one of ringing or of a note after the end. */
  const call = fc
    .array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 30 })
    .map((pauses) => pauses.map((_, index) => pauses.slice(0, index).reduce((a, b) => a + b, 0)))
    .chain((times) => {
      const last = times.at(-1) ?? 0;
      const length = fc.integer({ min: Math.max(1, last - 300), max: last + 600 });
      return fc.record({ times: fc.constant(times), length });
    });
  it('are never taken for those of the other unit', () => {
    fc.assert(
      fc.property(call, ({ times, length }) => {
        const rightOrNone = [times, times.map(() => undefined)];
        expect(rightOrNone).toContainEqual(offsets(turns(...times), length));
        const inMs = times.map((time) => time * 1000);
        expect(rightOrNone).toContainEqual(offsets(turns(...inMs), length));
      }),
    );
  });
});

describe('a call', () => {
  it.each([
    ...['in_progress', 'In Progress', 'queued', 'RINGING', 'in_call', 'in-call', 'dialing'],
    ...['connected', 'in_conversation', 'transferring', 'progress', 'redialing', 'will_retry'],
    ...['retry_scheduled', 'no_answer_retry', 'reattempting', 'picked_up', 'bridged', 'paused'],
    ...['not completed', 'incomplete', 'unfinished', 'not_finished', 'active_call'],
    ...['call in progress', 'Call is ringing', 'still_in_progress', 'Currently speaking'],
    ...['Created', 'accepted', 'placed', 'Started', 'starting', 'initiated', 'initiating'],
    ...['enqueued', 'in queue', 'Scheduled', 'rescheduled', 'pending', 'waiting', 'calling'],
    ...['dialling', 'redialling', 'alerting', 'early', 'early-media', 'connecting', 'joined'],
    ...['progressing', 'running', 'Processing', 'in process', 'ongoing', 'active', 'live'],
    ...['on_call', 'conversation', 'talking', 'speaking', 'hold', 'on-hold', 'analysing'],
    ...['Analyzing', 'not ended', 'not_complete', 'not yet ended', 'not yet finished'],
    ...['not_yet_completed', 'retry', 'retrying', 'scheduled retry', 'scheduled for retry'],
    ...['retry pending', 'pending_retry', 'retry queued', 'Queued for retry', 'busy, retry'],
    ...['no answer, retrying', 'busy (retrying)', 'failed, retrying', 'attempting'],
    ...['trying again', 'call again', 'Calling again'],
  ])('that is %p has not ended, whatever else is said', (callStatus) => {
    expect(showsEnd({ callStatus, callOutcome: 'Confirmed', callDurationSec: 12 })).toBe(false);
  });

  it.each([
    ...['not_connected', 'Not picked up', 'initiation_failed', 'ringing_no_answer', 'inactive'],
    ...['queue_timeout', 'dialing_failed', 'retry_exhausted', 'processing_failed', 'hm', ''],
    ...['conversation_completed', 'schedule_failed'],
  ])('that is %p has ended once its outcome is there', (callStatus) => {
    expect(showsEnd({ callStatus, callOutcome: 'No Answer' })).toBe(true);
    expect(showsEnd({ callStatus, callOutcome: 'Pending', summary: 'Bye' })).toBe(false);
    expect(showsEnd({ callStatus })).toBe(false);
  });

  it.each([
    ...['failed', 'Failure', 'error', 'no-answer', 'Not answered', 'unanswered', 'missed', 'busy'],
    ...['voicemail', 'Rejected', 'declined', 'unreachable', 'Cancelled', 'canceled', 'aborted'],
    ...['expired', 'Undelivered', 'invalid_number'],
  ])('that is %p has ended: nobody talked, and no more will be said', (callStatus) => {
    expect(showsEnd({ callStatus })).toBe(true);
    expect(mayHaveTalked(callStatus)).toBe(false);
  });

  it.each([
    ...['completed', 'Complete', 'ended', 'Finished', 'done', 'closed', 'success', 'Successful'],
    ...['succeeded', 'hang-up', 'Hung up', 'terminated', 'disconnected'],
  ])('that is %p has ended once more is said about it', (callStatus) => {
    expect(showsEnd({ callStatus })).toBe(false);
    expect(showsEnd({ callStatus, summary: 'They agreed' })).toBe(true);
    expect(mayHaveTalked(callStatus)).toBe(true);
  });

  it.each<[string, object]>([
    ['nothing', {}],
    ['that it failed, and another word', { callStatus: 'failed', call_status: 'hm' }],
    ['in another script that it is not busy', { callStatus: '未busy' }],
    ['an outcome that is none yet', { callStatus: 'completed', callOutcome: 'Analysis pending' }],
    ['a status alone', { callStatus: 'completed' }],
    ['a status that nobody knows', { callStatus: 'hm' }],
    ['fields without content', { callStatus: 'hm', callOutcome: ' ', callDurationSec: null }],
    ['a blank summary', { callStatus: 'completed', summary: ' ' }],
    ['a length of 0 when it was hung up', { callStatus: 'hangup', callDurationSec: 0 }],
    ['a length under a status that nobody knows', { callStatus: 'answered', callDurationSec: 9 }],
    ['a cost under a status that nobody knows', { callStatus: 'hm', totalCallCost: 0.4 }],
    ['a length without a status', { callDurationSec: 9 }],
    ['a summary under a status that nobody knows', { callStatus: 'läuft', summary: 'They talk' }],
    ['a label that is still to come', { callStatus: 'completed', callOutcome: 'Pending' }],
    ['a label in progress', { callStatus: 'ended', callOutcome: 'in_progress', summary: 'Yes' }],
    ['a length below 0, which is none', { callStatus: 'completed', callDurationSec: -1 }],
    ['a cost below 0, which is none', { callStatus: 'completed', totalCallCost: '-1' }],
    ['no length yet', { callStatus: 'hm', callDurationSec: 0, totalCallCost: 0 }],
  ])('of which the service says no more than %s has not ended', (_what, body) => {
    expect(showsEnd({ ...body })).toBe(false);
  });

  it.each<[string, object]>([
    ['an outcome', { callOutcome: 'Confirmed' }],
    ['an outcome under a status of the end', { callStatus: 'done', callOutcome: 'Yes' }],
    ['an outcome under a status that nobody knows', { callStatus: 'hm', callOutcome: 'Yes' }],
    ['that it was busy', { callStatus: 'BUSY' }],
    ['a length', { callStatus: 'ended', callOutcome: null, callDurationSec: 31 }],
    ['in the second spelling that it failed', { callStatus: ' ', call_status: 'failed' }],
    ['a summary and a length', { callStatus: 'läuft', summary: 'Bye', callDurationSec: 9 }],
    ['a later call as its label', { callStatus: 'completed', callOutcome: 'Callback pending' }],
    ['a summary', { callStatus: 'ended', summary: 'They agreed' }],
    ['that it was completed at once', { callStatus: 'completed', callDurationSec: 0 }],
    ['that it failed', { callStatus: 'failed' }],
    ['that the call failed', { callStatus: 'call_failed' }],
    ['that nobody answered', { call_status: 'No answer' }],
  ])('of which the service says %s has ended', (_what, body) => {
    expect(showsEnd({ ...body })).toBe(true);
  });
});

describe('a label', () => {
  const read = (callOutcome: string, more: object = { callDurationSec: 30 }) => {
    const body = { callStatus: 'completed', callOutcome, ...more };
    return { hasEnded: showsEnd({ ...body }), label: readOutcome({ ...body }, 7).callOutcome };
  };

  it.each([
    ...['QA pending', 'Pending QA', 'Awaiting QA', 'Analysis in progress', 'Call in progress'],
    ...['Outcome pending', 'AnalysisPending', 'Waiting for transcript', 'Pending (review)…'],
    ...['Post-call analysis: in progress', 'Result still pending', 'Processing the call', 'TBD'],
    ...['Not available yet', 'Outcome not yet determined', 'Analysing'],
    ...['Being analyzed', 'Call is being evaluated', 'Queued', 'Queued for analysis', 'Ongoing'],
    ...['Transcribing', 'Generating summary…', 'To be assigned'],
    ...['Not yet assigned', 'No outcome yet', 'Result not available yet', 'Loading...'],
    ...[
      'Scheduled for QA',
      'Waiting for the analysis',
      'ausstehend',
      'in Bearbeitung',
      'en attente',
    ],
  ])('that says that the outcome is still to come is none, and no end: %s', (label) => {
    expect(read(label)).toEqual({ hasEnded: false, label: null });
  });

  it.each([
    ...['Unclassified', 'Uncategorized', 'Not classified', 'Call not analyzed', 'Not processed'],
    ...['Outcome: unassigned', 'Not assessed', 'Still unlabelled', 'Under review', 'QA in review'],
  ])('that may also be final is none for some minutes: %s', (label) => {
    expect(read(label)).toEqual({ hasEnded: false, label: null });
    expect(mayBeFinal(label)).toBe(true);
  });

  it.each([
    ...['Pending', 'Being analyzed', 'Not yet assigned', 'Not classified yet', 'Under analysis'],
    ...['In progress', 'To be assigned', 'Still processing', 'Unclear', 'Not determined'],
  ])('that says "not yet", or how a call ended, is no such label: %s', (label) => {
    expect(mayBeFinal(label)).toBe(false);
  });

  it.each([
    ...[
      'null',
      'Undefined',
      'none',
      'N/A',
      '#N/A',
      '(null)',
      ' NaN ',
      '(empty)',
      '"none"',
      'Not set',
    ],
    ...['-', '--', '—', '−', '?', '...', '{}', '[ ]', '()', '<>', '""', '/'],
  ])('that says nothing is none, as if there were no label: %s', (label) => {
    expect(read(label)).toEqual({ hasEnded: true, label: null });
    expect(read(label, {})).toEqual({ hasEnded: false, label: null });
    expect(read(label, { callStatus: 'busy' })).toEqual({ hasEnded: true, label: null });
  });

  it.each([
    ...['Callback pending', 'Payment pending', 'Order pending confirmation', 'Pending order'],
    ...['Delivery in progress', 'Awaiting payment', 'Awaiting call', 'Call waiting', 'Call back'],
    ...['Confirmed, QA pending', 'Not available', 'Not interested yet', 'Not yet decided'],
    ...['Queued for delivery', 'Queued call', 'Delivery scheduled', 'Scheduled', 'Not determined'],
    ...[
      'Not yet delivered',
      'Not ready yet',
      'Reviewing the offer',
      'To be called back',
      'Being delivered',
      'Assigned',
    ],
    ...['✓', '👍', '+', 'A-', '1', '?!x'],
    ...[
      'NA',
      'No',
      'No outcome',
      'Unknown',
      'Unclear',
      'Nobody',
      'Order processing',
      'Not analysed by lab',
    ],
  ])('that says more is the outcome: %s', (label) => {
    expect(read(label)).toEqual({ hasEnded: true, label });
  });
});

describe('a transcript', () => {
  it('reads as text, a line for each turn', () => {
    const transcript = readTranscript(
      [
        { speaker: 'agent', text: 'Hello?', timestamp: 0 },
        { speaker: 'customer', text: 'Yes.', timestamp: 2 },
        { speaker: 'system', text: 'Call ended', timestamp: 4 },
      ],
      4,
    );
    expect(transcriptText(transcript)).toBe('Agent: Hello?\nCustomer: Yes.\nSystem: Call ended');
  });

  it('has the turns that can be read, with what they say', () => {
    const spoken = [{ text: 'Yes.', timestamp: 2 }, { speaker: 'agent' }, 7, null, [['No']]];
    expect(readTranscript(spoken, 4)).toEqual([
      { speaker: '', text: 'Yes.', offsetSec: 2 },
      { speaker: 'agent', text: '' },
    ]);
    for (const none of ['', ' ', [], ['', ' '], {}, 7, null]) {
      expect(readTranscript(none, 4)).toEqual([]);
    }
  });

  it.each<[string, unknown, object[]]>([
    ['one text', 'Agent: Hi.\nCustomer: No.', [{ text: 'Agent: Hi.\nCustomer: No.' }]],
    [
      'texts',
      ['Agent: Hi.', '', 'Customer: No.'],
      [{ text: 'Agent: Hi.' }, { text: 'Customer: No.' }],
    ],
    [
      'JSON of turns',
      '[{"speaker":"customer","text":"No."}]',
      [{ speaker: 'customer', text: 'No.' }],
    ],
    ['JSON of texts', ' ["Hi.", "No."] ', [{ text: 'Hi.' }, { text: 'No.' }]],
    ['JSON that is cut off', '[{"speaker":"cus', [{ text: '[{"speaker":"cus' }]],
    ['other JSON', '{"said":"No."}', [{ text: '{"said":"No."}' }]],
    [
      'turns in parts',
      [{ speaker: 'agent', text: ['Hi.', null, 'Ann?'] }],
      [{ speaker: 'agent', text: 'Hi. Ann?' }],
    ],
  ])('is read as %s', (_form, transcript, said) => {
    expect(readTranscript(transcript, 4)).toEqual(said.map((turn) => ({ speaker: '', ...turn })));
  });

  it('reads as text as it came where nobody says who spoke', () => {
    const text = 'Agent: Hi.\nCustomer: No.';
    expect(transcriptText(readTranscript(text, 4))).toBe(text);
    expect(transcriptText(readTranscript(text.split('\n'), 4))).toBe(text);
  });
});

describe('the body of an outcome', () => {
  it('is read with all that it says', () => {
    const said = { orderNumber: 'A-1', callStatus: 'done', totalCallCost: 0 };
    expect(readOutcome({ ...said, callOutcome: ' Order confirmed ', summary: 'Yes' }, 7)).toEqual({
      ...{ ...said, orderId: 7, callOutcome: 'Order confirmed', outcomeKey: 'order_confirmed' },
      ...{ callDurationSec: null, summary: 'Yes', transcript: [], transcriptText: '' },
    });
  });
  it('without a status is of a completed call, and has no cost or length below zero', () => {
    const told = { callOutcome: 'Yes', totalCallCost: -0.1, callDurationSec: -1 };
    const outcome = readOutcome(told, 7);
    const none = { totalCallCost: null, callDurationSec: null };
    expect(outcome).toMatchObject({ callStatus: 'completed', ...none });
    expect(outcome).not.toHaveProperty('orderNumber');
  });
  it('has one spelling of in_progress, and leaves every other status as it is', () => {
    const given = ['In Progress', 'IN-PROGRESS', 'Ringing'];
    const read = given.map((callStatus) => callStatusOf({ callStatus }));
    expect(read).toEqual(['in_progress', 'in_progress', 'Ringing']);
    expect(callStatusOf({ callStatus: '' })).toBeUndefined();
  });
  it.each(['', ' ', null])('has no summary where it says nothing: %j', (summary) => {
    expect(readOutcome({ summary }, 7).summary).toBeNull();
  });
  it('is read in both spellings', () => {
    expect(readOutcome({ order_id: '7', call_status: 'failed' }, 7)).toMatchObject({
      orderId: 7,
      callStatus: 'failed',
      callOutcome: null,
      outcomeKey: null,
      transcript: [],
    });
  });
  it.each(['Pending', 'in_progress', 'Analysis pending'])(
    'gives no label for %s of a call that nobody answered: its status says how it ended',
    (callOutcome) => {
      const body = { callStatus: 'no_answer', callOutcome };
      expect(showsEnd(body)).toBe(true);
      const outcome = readOutcome(body, 7);
      expect(outcome).toMatchObject({ callOutcome: null, outcomeKey: null });
      expect(labelOfEnd(outcome)).toBe('no_answer');
    },
  );
  it('has a label for retries, also when nothing in it has a letter', () => {
    expect(labelOfEnd({ callStatus: ' ', callOutcome: null })).toBe('Unknown');
  });
  it('gives no number whose digits JSON has lost', () => {
    const body = JSON.parse('{"orderNumber": 576461413038785752}') as object;
    expect(readOutcome({ ...body }, 7)).not.toHaveProperty('orderNumber');
  });
  it.each<[string, object]>([
    ['outcome', { callOutcome: { label: 'Confirmed' } }],
    ['outcome', { callOutcome: ['Not interested'] }],
    ['status', { callStatus: { name: 'failed' } }],
  ])('fails the reading when its %s is no text', (_what, body) => {
    expect(() => showsEnd({ callStatus: 'completed', callDurationSec: 60, ...body })).toThrow(
      'its status or outcome is no text',
    );
  });
  it('never breaks the reading, whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.jsonValue(),
        (body, transcript) => {
          const outcome = readOutcome({ ...(body as object), transcript } as never, 5);
          expect(outcome.orderId).toBeGreaterThan(0);
          expect(Array.isArray(outcome.transcript)).toBe(true);
        },
      ),
    );
  });
});

describe('an outcome that is no text', () => {
  it.each([true, 1e300])('is no end without an outcome: %j', (callOutcome) => {
    const body = { callStatus: 'completed', callOutcome, callDurationSec: 40 };
    expect(() => showsEnd(body)).toThrow('its status or outcome is no text');
  });
});
