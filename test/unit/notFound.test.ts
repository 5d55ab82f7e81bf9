import {
  isStillInProgress,
  saysOrderNotFound,
} from '../../nodes/OutboundAiCalling/service/notFound';

const answerOf = (status: number, body: unknown) => ({ status, body, headers: {} });
const refused = (error: unknown) => ({ success: false, error });

describe('a call goes on', () => {
  it.each([
    ...['Call still in progress', 'Call is still in progress.', 'still in progress'],
    ...['The call is still in progress, please try again', 'This order still in_progress'],
    ...['Error: call #7 is still in-progress', 'error:Order 7: still in progress and ringing'],
  ])('when the service says %p', (said) => {
    expect(isStillInProgress(answerOf(404, refused(said)))).toBe(true);
  });

  it.each([
    ...['Order still in progress or not found', 'No call is still in progress', 'In progress'],
    ...[
      'Call still in progress report',
      'Call x is still in progress',
      'Call still in the progress',
    ],
  ])('no longer, perhaps, when it says %p', (said) => {
    expect(isStillInProgress(answerOf(404, refused(said)))).toBe(false);
  });

  it('never by the words of another server, or of an answer about access', () => {
    const said = 'Call still in progress';
    const answers = [
      answerOf(404, said),
      answerOf(404, { error: said }),
      answerOf(404, refused(7)),
    ];
    const about = [401, 403, 429, 500].map((status) => answerOf(status, refused(said)));
    expect([...answers, ...about].map(isStillInProgress)).toEqual(Array(7).fill(false));
  });
});

it('an order is not found only when the service says so, and not of a key', () => {
  const says = (error: string, status = 404) => saysOrderNotFound(answerOf(status, refused(error)));
  expect([200, 400, 404, 403].map((status) => says('Order not found', status))).toEqual([
    ...[true, true, true, false],
  ]);
  expect(says('Order not found for this API key')).toBe(false);
  expect(saysOrderNotFound(answerOf(404, { error: 'Order not found' }))).toBe(false);
});
