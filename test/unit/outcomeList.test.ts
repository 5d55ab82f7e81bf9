import {
  isUsualOutcome,
  namesOutcome,
  readOutcomeList,
  wildcardIn,
} from '../../nodes/OutboundAiCalling/service/outcomeList';

describe('a list of outcomes', () => {
  it.each<[string, unknown]>([
    ['commas', 'No answer, Not Interested, busy'],
    ['semicolons', 'No Answer; not-interested;BUSY'],
    ['lines', 'no_answer\r\nNot_Interested\n\nBusy\n'],
    ['all of them', '"No answer", not interested;\n busy,'],
    ['Arabic commas', 'No answer، Not Interested؛ busy'],
    ['Chinese commas', 'No answer，Not Interested、busy；'],
    ['an array', ['NO ANSWER', 'not_interested', ' busy ']],
  ])('is read with %s', (_, text) => {
    expect(readOutcomeList(text)).toEqual(['no_answer', 'not_interested', 'busy']);
  });

  it('names an outcome once, however often it is written', () => {
    expect(readOutcomeList('Voice mail, voicemail; VOICE-MAIL')).toEqual(['voice_mail']);
  });

  it('names nothing when it is empty, and is none when it is an object', () => {
    for (const empty of [undefined, null, '', ' ; ,\n', '\ufe0f']) {
      expect(readOutcomeList(empty)).toEqual([]);
    }
    expect(readOutcomeList({ outcomes: 'busy' })).toBeUndefined();
  });

  it.each(['voicemail', 'voice_mail'])('names %s when it says "Voice mail"', (key) => {
    expect(namesOutcome(readOutcomeList('No Answer; Voice mail') ?? [], key)).toBe(true);
  });

  it.each([
    ['Aramayın', 'ARAMAYIN'],
    ['ULAŞILAMADI', 'Ulaşılamadı'],
    ['İptal', 'IPTAL'],
    ['Außer Haus', 'AUSSER HAUS'],
    ['Μη με καλείτε', 'ΜΗ ΜΕ ΚΑΛΕΙΤΕ'],
    ['Τέλη Μαΐου', 'ΤΕΛΗ ΜΑΪΟΥ'],
    ['لا تتصل، أبدا', 'لا تتصل، أبدا'],
  ])('names in capitals what it says in small letters: %s, %s', (listed, label) => {
    for (const [one, other] of [[listed, label] as const, [label, listed] as const]) {
      expect(namesOutcome(readOutcomeList(one) ?? [], other)).toBe(true);
    }
  });

  it('names a sign, and no other sign', () => {
    expect(readOutcomeList('stop, ❌')).toEqual(['stop', '❌']);
    expect(namesOutcome(['❌'], '✅')).toBe(false);
    expect(namesOutcome(['मना'], 'माना')).toBe(false);
  });

  it('names a label with a comma, and its parts: nobody knows which was meant', () => {
    const list = readOutcomeList('Unclear; Do not call, ever, busy') ?? [];
    for (const label of ['Do not call, ever', 'do_not_call', 'ever', 'busy', 'unclear']) {
      expect(namesOutcome(list, label)).toBe(true);
    }
    for (const label of ['Do not call, today', 'Do not call busy', 'do_not_call_ever']) {
      expect(namesOutcome(list, label)).toBe(false);
    }
    expect(namesOutcome(['do_not_call_ever'], 'Do not call, ever')).toBe(true);
  });

  it.each([
    ['1, 2', '12'],
    ['12', '1, 2'],
    ['A; B', 'AB'],
    ['No; Answer', 'no_answer'],
  ])('of codes names no code that is made of two: %s, %s', (list, label) => {
    expect(namesOutcome(readOutcomeList(list) ?? [], label)).toBe(false);
  });

  it.each(['1', '2', '1, 2'])('of the codes "1, 2" names %s', (label) => {
    expect(namesOutcome(readOutcomeList('1, 2') ?? [], label)).toBe(true);
  });

  it('does not name what only begins alike', () => {
    expect(namesOutcome(['confirmed'], 'not_confirmed')).toBe(false);
    expect(namesOutcome(['no_answer'], 'no')).toBe(false);
  });
});

describe('a word in a list of outcomes', () => {
  it.each([
    ...['confirmed', 'Order confirmed', 'NOT INTERESTED', 'Callback requested', 'unclear'],
    ...['Do not call', 'Insufficient talk', 'given up', 'no_answer', 'Busy', 'voice mail'],
    ...['failed', 'Invalid number'],
  ])('is usual: %s', (label) => {
    expect(isUsualOutcome(label)).toBe(true);
  });

  it.each(['no_anwser', 'order', 'confirm', ''])('is unusual: "%s"', (label) => {
    expect(isUsualOutcome(label)).toBe(false);
  });

  it.each(['*', 'all', 'any'])('stands elsewhere for every outcome: %s', (word) => {
    expect(wildcardIn(['busy', word])).toBe(word);
    expect(wildcardIn(['busy', `${word}body`])).toBeUndefined();
  });
});
