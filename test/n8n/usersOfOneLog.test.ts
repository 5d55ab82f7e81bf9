import { Lock } from '../../nodes/OutboundAiCalling/callLog/lock';
import { openBeside } from '../../nodes/OutboundAiCalling/callLog/table/besideTable';
import { N8nClient, PreparedN8n } from '../../scripts/n8n';
import { openCallLog } from './callLogFromOutside';

let n8n: PreparedN8n;
beforeAll(async () => {
  n8n = await PreparedN8n.start({ env: { N8N_DISABLE_UI: 'true' } });
});
afterAll(async () => await n8n?.stop());

/** Invites somebody, who sees no tables but those of a project of their own. */
async function member(): Promise<N8nClient> {
  const { client } = n8n;
  type Invited = Array<{ user: { inviteAcceptUrl: string } }>;
  const [invited] = await client.session.rest<Invited>('POST', '/invitations', {
    body: [{ email: 'member@example.com', role: 'global:member' }],
  });
  const token = new URL(invited?.user.inviteAcceptUrl ?? '').searchParams.get('token');
  const joined = new N8nClient(client.baseUrl);
  await joined.session.rest('POST', '/invitations/accept', {
    body: { token, firstName: 'Max', lastName: 'Member', password: 'Outbound-calls-2' },
  });
  return joined;
}

it('the log of a member has one table of cursors and locks for the member and the owner of n8n', async () => {
  const { client } = n8n;
  const locator = { mode: 'name', value: 'Calls' };
  const open = async (apiKey: string) => await openCallLog(client.baseUrl, apiKey, locator);
  const ofMember = await open(await (await member()).createApiKey('Member'));
  const ofOwner = await open(await client.createApiKey('Owner'));
  expect(ofOwner.tableId).toBe(ofMember.tableId);

  const locker = { name: 'daily caps', workflow: 'Calls of the owner' } as const;
  const held = await Lock.acquire(ofOwner, locker);
  const second = await Lock.acquire(ofMember, { ...locker, workflow: 'Calls of the member' });
  expect('heldBy' in second && second.heldBy).toBe('Calls of the owner');
  expect((await openBeside(ofMember)).id).toBe((await openBeside(ofOwner)).id);
  if (held instanceof Lock) await held.release();
});
