import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOG_COLUMNS } from '../../nodes/OutboundAiCalling/callLog/table/columns';
import { accountFingerprint } from '../../nodes/OutboundAiCalling/service/accountFingerprint';
import {
  errorOf,
  jsonOf,
  PROJECT,
  runsOf,
  sharedN8n,
  withCredential,
  type Credential,
  type SavedWorkflow,
  type SharedN8n,
  type WorkflowFile,
} from '../../scripts/n8n';
import { startMailbox, type Mailbox } from './mailbox';
import { logTable } from './triggerWorkflows';
import { CALLING_CREDENTIAL, saveCredential } from './workflows';

const SERVICE = { baseUrl: 'http://127.0.0.1:9' };
const ACCOUNT = accountFingerprint({ ...SERVICE, apiKey: 'test-key' });
const TABLE = 'Calls of report examples';
const EMPTY_TABLE = 'A day without any';
const DAY_MS = 86_400_000;

let n8n: SharedN8n;
let calling: Credential;
beforeAll(async () => {
  n8n = await sharedN8n();
  const n8nApiKey = await n8n.client.createApiKey('Reports of the examples');
  calling = await saveCredential(n8n.client, SERVICE, { n8nApiKey });
  const tables = n8n.client.dataTables(n8nApiKey);
  const { id } = await tables.create(TABLE, LOG_COLUMNS);
  const call = (days: number, outcome: string) => {
    const at = new Date(Date.now() - days * DAY_MS).toISOString();
    return {
      ...{ customerPhone: '+12025550123', customerName: 'Ann', attempt: 1, scriptId: 7 },
      ...{ status: 'completed', outcome, cost: 0.5, durationSec: 60 },
      ...{ triggeredAt: at, finishedAt: at, callId: `${days} ${outcome}`, account: ACCOUNT },
    };
  };
  await tables.insertCounted(id, [
    call(1, 'Order confirmed'),
    call(1, 'voicemail'),
    call(5, 'Not Interested'),
    {
      ...call(1, 'none'),
      ...{ status: 'failed', outcome: null, cost: null },
    },
  ]);
  await tables.create(EMPTY_TABLE, LOG_COLUMNS);
});

/** Imports an example as a person does, who then chooses the table and the credentials. */
async function importExample(
  name: string,
  credentialType: string,
  credential: Credential,
  table = TABLE,
): Promise<SavedWorkflow> {
  const file = await readFile(join(PROJECT, 'examples', `${name}.json`), 'utf8');
  const workflow = JSON.parse(file) as WorkflowFile;
  workflow.settings = { ...workflow.settings, timezone: 'UTC' };
  for (const { parameters } of workflow.nodes) {
    if ('callLogTable' in parameters) parameters.callLogTable = logTable(table);
  }
  return await n8n.client.createWorkflow(
    withCredential(
      withCredential(workflow, CALLING_CREDENTIAL, calling),
      credentialType,
      credential,
    ),
  );
}

/** The account of a mail server that is no longer there. */
async function deadAccount(): Promise<Mailbox['account']> {
  const { account, close } = await startMailbox();
  await close();
  return account;
}

describe('daily-report-by-mail', () => {
  /** The mail of a day whose calls are in this table. */
  async function mailOf(table: string): Promise<string> {
    const mailbox = await startMailbox();
    try {
      const smtp = await n8n.client.createCredential('Mail', 'smtp', mailbox.account);
      const workflow = await importExample('daily-report-by-mail', 'smtp', smtp, table);
      const execution = await n8n.client.runManually(workflow, { trigger: 'Every morning' });
      expect(errorOf(execution)).toBeUndefined();
    } finally {
      await mailbox.close();
    }
    expect(mailbox.mails).toHaveLength(1);
    return mailbox.mails[0] ?? '';
  }

  it("sends yesterday's numbers, what failed, and the page", async () => {
    const mail = await mailOf(TABLE);
    expect(mail).toContain('Subject: 3 calls yesterday, 1 reached, 1 failed');
    expect(mail).toContain('Failed: 1. Outcome never came: 0. May have been placed: 0.');
    expect(mail).toContain('Order confirmed');
    expect(mail).not.toContain('Not Interested');
  });

  it('comes on a day without calls too', async () => {
    const mail = await mailOf(EMPTY_TABLE);
    expect(mail).toContain('Subject: No calls yesterday, 0 reached, 0 failed');
  });

  it('comes when the log cannot be read, and says why', async () => {
    const mail = await mailOf('A table that is not there');
    expect(mail).toContain('Subject: The report of the calls failed');
    expect(mail).toContain('A table that is not there');
  });

  it('is a failed execution when the mail server is dead, with the report still in it', async () => {
    const smtp = await n8n.client.createCredential('Mail', 'smtp', await deadAccount());
    const workflow = await importExample('daily-report-by-mail', 'smtp', smtp);
    const execution = await n8n.client.runManually(workflow, { trigger: 'Every morning' });
    expect(execution.status).toBe('error');
    expect(errorOf(execution)).toMatchObject({
      message: expect.stringContaining('refused the connection'),
      node: { name: 'Send the report' },
    });
    expect(jsonOf(execution, "Yesterday's calls")).toMatchObject([{ totals: { calls: 3 } }]);
  });
});

describe('report-page', () => {
  it('shows the page to who knows user and password only', async () => {
    const basic = await n8n.client.createCredential('Report page', 'httpBasicAuth', {
      user: 'owner',
      password: 'open sesame',
    });
    const workflow = await importExample('report-page', 'httpBasicAuth', basic);
    await n8n.client.publish(workflow);
    const open = async (query: string, password: string) =>
      await fetch(`${n8n.client.baseUrl}/webhook/calls-report${query}`, {
        headers: {
          authorization: `Basic ${Buffer.from(`owner:${password}`).toString('base64')}`,
        },
      });
    const refused = await open('', 'guessed');
    expect(refused.status).toBe(401);

    const page = await open('', 'open sesame');
    expect(page.headers.get('content-type')).toContain('text/html');
    const html = await page.text();
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).toContain('Not Interested');
    const week = await (await open('?days=3', 'open sesame')).text();
    expect(week).toContain('Order confirmed');
    expect(week).not.toContain('Not Interested');
    await n8n.client.unpublish(workflow);

    const executions = await n8n.client.waitForExecutions(workflow.id, 2);
    expect(executions.map((execution) => runsOf(execution, 'Count the calls').length)).toEqual([
      1, 1,
    ]);
  });
});

describe('tell-what-failed', () => {
  /** A workflow fails that has chosen the example as its Error Workflow; gives the example. */
  async function failWith(account: Mailbox['account']): Promise<SavedWorkflow> {
    const smtp = await n8n.client.createCredential('Mail', 'smtp', account);
    const telling = await n8n.client.publish(await importExample('tell-what-failed', 'smtp', smtp));
    const header = { name: 'X-Shop-Key', value: 'of the shop' };
    const shop = await n8n.client.createCredential('Shop', 'httpHeaderAuth', header);
    const file = await readFile(join(PROJECT, 'examples', 'paid-no-call.json'), 'utf8');
    const workflow = JSON.parse(file) as WorkflowFile;
    const cancel = workflow.nodes.find(({ name }) => name === 'Cancel its calls');
    if (cancel !== undefined) cancel.parameters.callLogTable = logTable('A log that was renamed');
    workflow.pinData = {};
    workflow.settings = { ...workflow.settings, errorWorkflow: telling.id };
    const failing = await n8n.client.publish(
      await n8n.client.createWorkflow(
        withCredential(
          withCredential(workflow, CALLING_CREDENTIAL, calling),
          'httpHeaderAuth',
          shop,
        ),
      ),
    );
    await n8n.client.postToWebhook(
      'orders-paid',
      { orderNumber: '1042' },
      { headers: { [header.name]: header.value } },
    );
    await n8n.client.waitForExecutions(telling.id, 1);
    await n8n.client.unpublish(failing);
    return telling;
  }

  it('mails what failed in a workflow that has chosen it as its Error Workflow', async () => {
    const mailbox = await startMailbox();
    try {
      await failWith(mailbox.account);
    } finally {
      await mailbox.close();
    }
    expect(mailbox.mails).toHaveLength(1);
    expect(mailbox.mails[0]).toContain('Subject: Paid, no call failed');
    expect(mailbox.mails[0]).toContain('Nobody was called');
    expect(mailbox.mails[0]).toContain('A log that was renamed');
  });

  it('is a failed execution when the mail server is dead, with what failed still in it', async () => {
    const telling = await failWith(await deadAccount());
    const [execution] = await n8n.client.waitForExecutions(telling.id, 1);
    expect(execution?.status).toBe('error');
    expect(execution && errorOf(execution)?.message).toContain('refused the connection');
    expect(execution && jsonOf(execution, 'An execution failed')).toMatchObject([
      { execution: { error: { message: expect.stringContaining('Nobody was called') } } },
    ]);
  });
});
