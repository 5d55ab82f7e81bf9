import { showsSignsOfProcessing } from '../../nodes/OutboundAiCalling/service/signs';

describe('an answer that says that a call failed', () => {
  it.each<unknown>([
    { message: 'Call placed; recording failed' },
    { call_status: 'in_progress' },
    { action: 'trigger_call', order_id: 'ORD-4001' },
    { message: 'Duplicate', data: { order_id: 4001 } },
    { message: 'No', result: [{ call: { id: 'c1f0' } }] },
    { existingOrderId: '7' },
    { started: true },
    { message: 'Duplicate call: order_id 4001 was already placed' },
    { message: 'Not placed again' },
    { error: { message: 'Timed out waiting for the provider' } },
    { message: 'The customer was called, but nothing was saved' },
    { message: 'Call already in progress for this number' },
    ...['Call failed: no answer', 'Customer did not answer', 'User busy', 'Busy', 'No answer'],
    ...['The customer hung up', 'Call ended: voicemail', 'Call could not be completed'],
    ...['Call rejected by the customer', 'The line is busy', "The recipient didn't pick up"],
    ...['Request accepted for later delivery', 'Scheduled for tomorrow morning', 'Conflict'],
    ...['Provider error, retrying automatically', 'The customer will be called again'],
    ...['Call connected but recording failed', 'Call made but could not be saved', 'Call ongoing'],
    ...['Customer answered but the agent could not join', 'Customer picked up, the line dropped'],
    ...['The phone rang 6 times', 'Answering machine detected', 'Call was cut after 3 seconds'],
    ...['A call to this number is active', 'Order A-1 has a call under way'],
    ...['Nobody answered', 'Calls were made but logging failed', 'Call is live'],
    ...['Call went through but the record could not be saved', 'Conversation ended early'],
    ...[
      'We rang the customer but nobody spoke',
      'The customer is on the line',
      'Someone picked up',
    ],
    ...['Call succeeded but billing failed', 'Dial succeeded, transcripts are down'],
    { status: 'pending', message: 'Provider slow' },
    ...['queue_timeout', 'Dialing failed', 'created'].map((status) => ({ status, message: 'No' })),
    ...[
      'CALL_PLACED',
      'CALL__PLACED',
      'already_queued',
      'duplicate_call',
      'callAlreadyPlaced',
      'GATEWAY_TIMEOUT',
    ].map((code) => ({ message: 'No', code })),
    // The service failed by itself, perhaps after the call.
    ...['Internal server error', 'INTERNAL_ERROR', 'An unexpected error occurred', 'Error interno'],
    ...['Interner Serverfehler', 'Unhandled exception', 'Database error', 'SQL error: 23505'],
    ...['Request failed with status code 502', 'Provider returned 500', 'Bad gateway'],
    ...['Failed to save the order', 'Could not store the call record', 'Unable to record the call'],
    ...['The record could not be written', "Couldn't log the call", 'Error while saving the call'],
    ...['Saving the call record failed', 'Database update: writing failed'],
    // How a call ends.
    ...['NORMAL_CLEARING', 'USER_BUSY', 'CALL_REJECTED', 'NO_USER_RESPONSE', 'Call terminated'],
    ...['SIP 486 Busy Here', 'SIP/2.0 603 Decline', 'sip code: 480', 'Busy everywhere'],
    ...['Call lasted 3 seconds', 'Talk time: 0 s', 'Insufficient Talk', 'Ended by the customer'],
    ...['Teilnehmer besetzt', 'Der Kunde hat aufgelegt', 'Niemand hat abgenommen', 'Keine Antwort'],
    ...['El cliente colgó', 'Línea ocupada', 'Nadie contestó', 'No respondió', 'Buzón de voz'],
    { message: 'Missing script variables: a, b. The call was placed without them' },
    { message: 'Gateway error', conversation_id: 'c-1' },
    { message: 'Gateway error', execution_id: 7 },
    { message: 'Gateway error', job: 'j-1' },
    ...['Call initiated', 'Call launched', 'The call is enqueued', 'Dispatched', 'Resumed later'],
    ...['The request was accepted', 'Your call has been accepted', 'It will be re-tried'],
    ...[
      'It will be delivered',
      'We will call later',
      'We will call +4915123456789',
      'Will be dialled at 9',
      'We will call the customer back',
      'Already ringing',
    ],
    ...['Deadline exceeded', 'Campaign 7 in progress', 'Order A-1 is still in_progress'],
    ...['Call to +12025550123 was successful', 'Call is in session', 'Call was live'],
    ...['The order had a call made for it', 'We rang', 'The telephone rings'],
    ...['Nobody picked up: voicemail is off', 'Somebody spoke.'],
    ...['An uncaught exception', 'Exception was thrown', 'Fatal error', 'HTTP 503'],
    ...['Failure to update the order', 'Logging the call failed', 'Failure in storing'],
    ...['Unanswered', 'Call has been dropped', 'Called party is engaged', 'Error: busy'],
    ...['Disconnected by far end', 'Normal unspecified', 'Subscriber absent', 'Originator cancel'],
    ...['Busy tone', 'Anrufbeantworter', 'Anschluss war besetzt', 'Er nimmt nicht ab'],
    ...['Sin respuesta', 'Teléfono ocupado', 'Ha colgado'],
    ...['call_sid', 'campaignUuid', 'task-id', 'sid', 'uuid', 'job'].map((name) => ({
      [name]: 'a1',
    })),
    ...['campaign_state', 'state'].map((name) => ({ [name]: 'hm' })),
    // What only a call has.
    ...[{ callDurationSec: 12 }, { totalCallCost: 0.2 }, { callOutcome: 'voicemail' }],
    ...[{ summary: 'She agreed' }, { transcript: [{ text: 'Hello' }] }, { contact_count: 2 }],
    ...[{ order_id: [4821] }, { order_ids: [4821] }, { ids: [1] }, { call: 4821 }, { campaign: 5 }],
    ...[{ placed: true }, { startedAt: '2026-11-30T08:00:00Z' }, { dialed: true }],
    ...['Customer did not respond', 'No response from customer', 'The number is busy', 'Rang out'],
    ...[
      'Call failed with code 480',
      'Agent failed to join the call',
      'Call was cancelled',
      'order_id=4821',
    ],
    ...['Phone switched off', 'Machine detected', 'Fax detected', 'Calling +12025550123'],
    ...['Cannot read properties of undefined', 'TypeError: x', 'SQLITE_BUSY: database is locked'],
    ...['read ECONNRESET', 'socket hang up', 'The operation was aborted', 'Response lost'],
    ...[
      'Erreur interne du serveur',
      'Erro interno',
      'Pas de réponse',
      'Anruf beendet',
      'Não atende',
    ],
    ...[
      'Order exists',
      'Maximum attempts reached',
      'We tried to reach the customer',
      'Success',
      'ok',
    ],
    'upstream timed out',
    'timeout waiting for telephony provider',
  ])('shows that it may have been placed: %j', (body) => {
    expect(showsSignsOfProcessing(body, 'trigger')).toBe(true);
  });

  it.each<unknown>([
    ...['No free channels', 'Insufficient wallet balance', 'Something went wrong', 'Unauthorized'],
    ...['Call could not be placed', 'No call was placed', 'Nobody was called', 'Not found'],
    ...['All channels are busy', 'Service busy', 'Only E.164 numbers are accepted', 'Try again'],
    ...['Calls cannot be scheduled', 'The contact list is empty', 'Number is not reachable'],
    ...['Your request was rejected', 'User not found', 'User unauthorized', 'Please retry later'],
    ...['Calls are not active for your account', 'Your account is not connected'],
    ...['This account has a call limit of 100 per day', 'Your plan has a call quota'],
    ...['Answering machine detection requires a paid plan', 'The script has a call to action'],
    ...['Customer answered survey before; calls are blocked', 'The subscriber has a call barring'],
    ...['Nobody will call back', 'That is not a number we will call', 'Our team will call you'],
    'No agent will call the customer',
    ...['The call was not made', 'No call is active', 'Connected apps are missing'],
    ...['Concurrency / pool exhausted', 'Maintenance in progress', 'Error processing request'],
    ...['Internal extension numbers are not allowed', 'Database connection pool exhausted'],
    ...['Failed to log in to the provider', 'Could not log in', 'Logging in failed', 'Call failed'],
    ...[
      'Failed to create the call',
      'Error: 500 calls a day are allowed',
      'Your script is not saved',
    ],
    ...['Insufficient talk time', 'No talk time left', 'Your trial lasted 30 days'],
    ...['Todas las líneas están ocupadas', 'Alle Leitungen sind besetzt'],
    'Missing required script variables: order_placed_at, last_voicemail,call_ended.',
    { message: 'scriptId is required', script_id: 7, scriptId: 7, orderNumber: 'A-17' },
    { message: 'No', order_id: null, orderId: '', call_id: 0, started: false, callStatus: ' ' },
    { success: false, action: 'trigger_call', status: 'error', code: 400 },
    ...[{ status: 400 }, { calls: 50, limit: 50 }, { order_ids: [] }, { placed: false }],
    ...['No call exists for this number', 'The script does not exist', 'Phone is required'],
    // As validating libraries say it.
    ...[
      'Value error, phone must begin with +',
      'value is not a valid integer (type=type_error.integer)',
    ],
    ...['CALL_NOT_PLACED', 'not_queued', 'callNotPlaced', 'NO_FREE_CHANNELS'].map((code) => ({
      code,
    })),
    undefined,
  ])('shows nothing of the kind: %j', (body) => {
    expect(showsSignsOfProcessing(body, 'trigger')).toBe(false);
  });

  it('is read to any depth', () => {
    let body: unknown = { order_id: 7 };
    for (let depth = 0; depth < 20_000; depth++) body = { data: body };
    expect(showsSignsOfProcessing(body, 'trigger')).toBe(true);
  });
});

describe('an answer that says that a campaign was not started', () => {
  it.each<unknown>([
    { message: 'No', state: 'running' },
    { message: 'No', status: 'Running' },
    { message: 'Campaign was started; saving failed' },
    { message: 'Timeout' },
  ])('shows that it may have been: %j', (body) => {
    expect(showsSignsOfProcessing(body, 'start')).toBe(true);
  });

  it.each<unknown>([
    { message: 'Campaign is already running', campaign_id: 317 },
    { message: 'Campaign is already running!! ', campaign_id: 317 },
    { message: 'No', state: 5, status: null },
    { message: 'Campaign is paused', campaign_id: 317, state: 'paused' },
    { message: 'Concurrency / pool exhausted' },
    { message: 'Concurrency / pool exhausted', campaignName: 'running' },
  ])('shows nothing of the kind: %j', (body) => {
    expect(showsSignsOfProcessing(body, 'start')).toBe(false);
  });
});

describe('an answer that says that a campaign was not paused', () => {
  it.each(['pause', 'stop'] as const)(
    'shows nothing of the kind: a second %s is harmless',
    (purpose) => {
      expect(showsSignsOfProcessing({ message: 'Timeout', state: 'running' }, purpose)).toBe(false);
    },
  );
});
